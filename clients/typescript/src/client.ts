import createClient, { type Client, type MaybeOptionalInit } from "openapi-fetch";
import type { components, paths } from "./contract.js";
import { exchange, type Sending, sleep, streamed } from "./exchange.js";

export type Workflow = components["schemas"]["Workflow"];
export type Automation = components["schemas"]["Automation"];
export type Output = components["schemas"]["Output"];

/** Options of a Platen. address and token are needed. */
export interface Options {
  /** That of the API, such as https://platen.example/v0; /v0 is added to one without a path. */
  address: string;
  /** An access token, as the operator gave it. */
  token: string;
  /** Lets the token go to another machine without TLS. */
  allowHTTP?: boolean;
  /** How often a request is sent at most. Default 5; 1: once, and without an Idempotency-Key but the caller's. */
  tries?: number;
  /** Milliseconds that one try may take. Default 60,000. */
  timeout?: number;
  /** Sends the requests. Default: that of the platform. */
  fetch?: typeof globalThis.fetch;
  /** Names the program. */
  userAgent?: string;
}

/** What goes with an event. */
export interface EventOptions {
  /** The same event under the same key is one, for four days. Default: a new one, which the tries of the call share. */
  key?: string;
  /** What people call it, such as your order's number: up to 200 characters, and no name of a person. Lists, events and pages show it. */
  reference?: string;
  /** Up to 128 letters, digits and "-_.:=", by which its automation is found again. */
  requestId?: string;
  signal?: AbortSignal;
}

/** A file that the API answered with. */
export interface FileContent {
  /** As the service calls it; empty: it does not say. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

type HttpMethod = "get" | "post" | "put" | "patch" | "delete";
type Of<M extends HttpMethod> = { [P in keyof paths]: paths[P] extends { [m in M]: { responses: object } } ? P : never }[keyof paths];
type Init<P extends keyof paths, M extends HttpMethod> = MaybeOptionalInit<paths[P], M>;
type Args<I> = undefined extends I ? [init?: I] : [init: I];
type JSONOf<R> = R extends { content: { "application/json": infer T } } ? T : never;
type Answers<R> = { [S in keyof R]: S extends 200 | 201 | 202 ? JSONOf<R[S]> : never }[keyof R];
type Answer<P extends keyof paths, M extends HttpMethod> = paths[P] extends { [m in M]: { responses: infer R } } ? ([Answers<R>] extends [never] ? undefined : Answers<R>) : never;
type Listed = { [P in Of<"get">]: Answer<P, "get"> extends readonly unknown[] ? P : never }[Of<"get">];
type Entry<P extends Listed> = Answer<P, "get"> extends readonly (infer E)[] ? E : never;

type HeaderOf<O> = O extends { parameters: { header?: infer H } } ? H : never;
type HasKey<O> = [NonNullable<HeaderOf<O>>] extends [never] ? false : "Idempotency-Key" extends keyof NonNullable<HeaderOf<O>> ? true : false;
type Unkeyed = { [P in Of<"post">]: HasKey<paths[P]["post"]> extends true ? never : P }[Of<"post">];

/**
 * The POSTs that heed no Idempotency-Key, and whether a repeat leaves what once leaves. The
 * contract says which they are: the compiler refuses one more, or one less.
 */
const unkeyed: Record<Unkeyed, boolean> = {
  "/workflows/{workflowId}/documents/upload/": false,
  "/workflows/{workflowId}/documents/{documentId}/template/": true,
  "/workflows/{workflowId}/preview/": true,
  "/workflows/{workflowId}/batches/check/": true,
  "/workflows/{workflowId}/batches/{batchId}/correct/": true,
};

/** The DELETEs that leave the same when they are repeated; the others are answered 404 then. */
const deletedOnce: ReadonlySet<string> = new Set<Of<"delete">>([
  "/workflows/{workflowId}/",
  "/workflows/{workflowId}/automations/{automationId}/",
  "/workflows/{workflowId}/automations/{automationId}/done/",
  "/workflows/{workflowId}/source/verification/",
]);

const defaultTries = 5;
const defaultTimeout = 60_000;
const pageLimit = 200;

/** Seconds that the service waits at most. */
const longestWait = 50;

/** Asks the API as one user. */
export class Platen {
  /** The API's, which ends in its version. */
  readonly address: string;
  readonly #api: Client<paths>;
  readonly #sending: Sending;
  readonly #userAgent: string;

  /** Asks nothing yet: get("/me/") tells whether the token is good. */
  constructor(options: Options) {
    this.address = addressOf(options.address, options.allowHTTP ?? false);
    if (!/^[!-~]+$/.test(options.token)) {
      throw new Error("the access token is empty or has characters that no token has: give it as the operator issued it");
    }
    this.#sending = { fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)), tries: Math.max(1, options.tries ?? defaultTries), timeout: options.timeout ?? defaultTimeout };
    this.#userAgent = options.userAgent ?? "platen-client-typescript";
    this.#api = createClient<paths>({
      baseUrl: this.address,
      redirect: "manual", // the token goes to this address alone
      headers: { Authorization: options.token, "User-Agent": this.#userAgent },
    });
  }

  get<P extends Of<"get">>(path: P, ...[init]: Args<Init<P, "get">>): Promise<Answer<P, "get">> {
    return this.#json("get", path, init);
  }

  post<P extends Of<"post">>(path: P, ...[init]: Args<Init<P, "post">>): Promise<Answer<P, "post">> {
    return this.#json("post", path, init);
  }

  put<P extends Of<"put">>(path: P, ...[init]: Args<Init<P, "put">>): Promise<Answer<P, "put">> {
    return this.#json("put", path, init);
  }

  patch<P extends Of<"patch">>(path: P, ...[init]: Args<Init<P, "patch">>): Promise<Answer<P, "patch">> {
    return this.#json("patch", path, init);
  }

  delete<P extends Of<"delete">>(path: P, ...[init]: Args<Init<P, "delete">>): Promise<Answer<P, "delete">> {
    return this.#json("delete", path, init);
  }

  /** Reads a list page by page, as far as its reader goes. */
  async *list<P extends Listed>(path: P, ...[init]: Args<Init<P, "get">>): AsyncGenerator<Entry<P>, void, undefined> {
    const given = (init ?? {}) as Loose;
    let query: Record<string, unknown> | undefined = { limit: pageLimit, ...given.params?.query };
    while (query !== undefined) {
      const { data, response } = await this.#ask("get", path, { ...given, params: { ...given.params, query } }, "json");
      yield* data as Entry<P>[];
      query = following(response.headers);
    }
  }

  /** Reads an answer that is a file, whole. */
  async file<P extends Of<"get">>(path: P, ...[init]: Args<Init<P, "get">>): Promise<FileContent> {
    const { data, response } = await this.#ask("get", path, init as Loose | undefined, "arrayBuffer");
    return { name: fileName(response.headers), content: new Uint8Array(data as ArrayBuffer) };
  }

  /**
   * Reads an answer that is a large file as it comes, such as the zip of a batch. It asks
   * once. After an error, what was read is not whole.
   */
  async stream<P extends Of<"get">>(path: P, ...[init]: Args<Init<P, "get">>): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { data } = await this.#ask("get", path, init as Loose | undefined, "stream");
    return data as ReadableStream<Uint8Array<ArrayBuffer>>;
  }

  /** The PDF of an output that is DONE. */
  pdf(workflowId: string, outputId: string, signal?: AbortSignal): Promise<FileContent> {
    return this.file("/workflows/{workflowId}/outputs/{outputId}/pdf/", { params: { path: { workflowId, outputId } }, ...(signal && { signal }) });
  }

  /**
   * Makes a template of a .docx or .pptx file. It is not tried again unless the answer says
   * that nothing was done.
   */
  async upload(workflowId: string, content: BlobPart, settings?: components["schemas"]["DocumentChange"]): Promise<components["schemas"]["Document"]> {
    const form = new FormData();
    if (settings !== undefined) form.set("settings", JSON.stringify(settings));
    form.set("file", new Blob([content]), "template");
    const path = "/workflows/{workflowId}/documents/upload/";
    const { data } = await this.#ask("post", path, { params: { path: { workflowId } }, body: form, bodySerializer: (body) => body }, "json");
    return data as components["schemas"]["Document"];
  }

  /**
   * Posts an event to the address of a source, as source.webhookUrl has it, or as a test to
   * source.testWebhookUrl: one JSON object, or its text, which goes as it is. The token does
   * not go along. The event is stored then.
   */
  async send(address: string, data: object | string, options: EventOptions = {}): Promise<void> {
    await this.#send(address, data, { ...options, key: options.key ?? this.#newKey() });
  }

  /**
   * Is send() that answers with the automation of the event: once it has ended, or as it
   * stands after so many seconds, by default 50. ended() tells which. A repeat under the
   * same key waits for the first one's.
   */
  async sendAndWait(address: string, data: object | string, options: EventOptions & { wait?: number } = {}): Promise<Automation> {
    const { wait = longestWait, ...rest } = options;
    const key = rest.key ?? crypto.randomUUID(); // so that a longer wait asks again for the same event
    const end = Date.now() + wait * 1000;
    for (;;) {
      const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      const answer = await this.#send(address, data, { ...rest, key }, Math.min(left, longestWait));
      const automation: Partial<Automation> = await answer.json();
      const known = automation.id !== undefined;
      if (known && ended(automation as Automation)) return automation as Automation;
      if (Date.now() >= end) {
        if (known) return automation as Automation;
        throw new Error("the event is stored, and the service could not say what becomes of it: send it again under the same key, or list automations by idempotencyKey");
      }
      // Without this header nobody waited: too many do.
      if (!answer.headers.has("Preference-Applied")) await sleep(1000, rest.signal);
    }
  }

  #newKey(): string | undefined {
    return this.#sending.tries > 1 ? crypto.randomUUID() : undefined;
  }

  #send(address: string, data: object | string, options: EventOptions, wait?: number): Promise<Response> {
    const headers = new Headers({ "Content-Type": "application/json", "User-Agent": this.#userAgent });
    if (options.key !== undefined) headers.set("Idempotency-Key", options.key);
    if (options.reference !== undefined) headers.set("Platen-Reference", options.reference);
    if (options.requestId !== undefined) headers.set("X-Request-Id", options.requestId);
    if (wait !== undefined) headers.set("Prefer", `wait=${wait}`);
    let request: Request;
    try {
      request = new Request(address, { method: "POST", headers, body: typeof data === "string" ? data : JSON.stringify(data), redirect: "manual", signal: options.signal ?? null });
    } catch (error) {
      throw new Error("the address of the source cannot be asked: give it as the API answered it", { cause: error });
    }
    return exchange(this.#sending, request, options.key !== undefined);
  }

  async #json<T>(method: HttpMethod, path: keyof paths, init: unknown): Promise<T> {
    const { data } = await this.#ask(method, path, init as Loose | undefined, "json");
    return data as T;
  }

  async #ask(method: HttpMethod, path: keyof paths, given: Loose = {}, parseAs: "json" | "arrayBuffer" | "stream"): Promise<{ data: unknown; response: Response }> {
    const repeat = unkeyed[path as Unkeyed];
    const keyed = method === "post" && repeat === undefined;
    let header = given.params?.header;
    if (keyed && header?.["Idempotency-Key"] === undefined) header = { ...header, "Idempotency-Key": this.#newKey() };
    const repeatable = keyed ? header?.["Idempotency-Key"] !== undefined : method === "post" ? (repeat ?? false) : method === "delete" ? deletedOnce.has(path) : true;
    const init = {
      ...given,
      params: { ...given.params, header },
      parseAs,
      fetch: (request: Request) => (parseAs === "stream" ? streamed(this.#sending, request) : exchange(this.#sending, request, repeatable)),
    };
    try {
      return await (this.#api.request as (...args: unknown[]) => Promise<{ data: unknown; response: Response }>)(method, path, init);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Error(`the answer of ${new URL(this.address).host} is not the API's: look at the address`, { cause: error });
    }
  }
}

/** What all requests may have, as far as this file reads it. */
interface Loose {
  params?: { path?: object; query?: Record<string, unknown>; header?: Record<string, unknown> | undefined };
  body?: unknown;
  bodySerializer?: (body: unknown) => unknown;
}

/** Tells whether nothing more becomes of an automation. One in REVIEW waits for people. */
export const ended = (automation: Pick<Automation, "state">): boolean => !["ACCEPTED", "RUNNING", "REVIEW"].includes(automation.state);

function addressOf(text: string, allowHTTP: boolean): string {
  const u = URL.canParse(text) ? new URL(text) : undefined;
  if (u === undefined || !["http:", "https:"].includes(u.protocol) || u.username !== "" || u.password !== "" || u.search !== "" || u.hash !== "") {
    throw new Error("the address must be that of the API alone, such as https://platen.example/v0");
  }
  const local = u.hostname === "localhost" || u.hostname === "[::1]" || /^127(\.\d+){3}$/.test(u.hostname);
  if (u.protocol === "http:" && !allowHTTP && !local) {
    throw new Error(`the access token would go to ${u.hostname} without TLS: give an address with https, or allow it with allowHTTP`);
  }
  return u.origin + (u.pathname.replace(/\/+$/, "") || "/v0");
}

/**
 * The query of the next page; undefined: there is none. Its address is not followed: the
 * token goes to the client's own address alone.
 */
function following(headers: Headers): Record<string, unknown> | undefined {
  const next = /<([^>]*)>; *rel="?next"?/.exec(headers.get("Link") ?? "")?.[1];
  if (next === undefined) return undefined;
  const all = new URL(next, "https://platen.invalid").searchParams;
  return Object.fromEntries([...new Set(all.keys())].map((name) => [name, all.getAll(name)]));
}

function fileName(headers: Headers): string {
  const said = headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=(?:utf-8|UTF-8)''([^;]+)/.exec(said)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Then the plain one counts.
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"/.exec(said)?.[1]?.replace(/\\(.)/g, "$1") ?? /filename=([^";\s]+)/.exec(said)?.[1] ?? "";
}
