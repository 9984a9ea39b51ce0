/**
 * The API of Platen for programs in TypeScript and JavaScript. Types and paths are those of
 * the contract, which a generator reads. By hand are retries, lists, waiting, and signatures.
 * It needs fetch and WebCrypto, and nothing of Node.
 */
export { Platen, ended } from "./client.js";
export type { Automation, EventOptions, FileContent, Options, Output, Workflow } from "./client.js";
export type { components, operations, paths } from "./contract.js";
export { PlatenError } from "./error.js";
export type { Fault } from "./error.js";
export { SignatureError, Verifier } from "./events.js";
export type { HeadersOfRequest, SignedEvent } from "./events.js";
export { Unanswered } from "./exchange.js";
