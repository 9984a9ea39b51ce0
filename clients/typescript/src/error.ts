import type { components } from "./contract.js";

/** What is wrong at one place of a body. */
export type Fault = components["schemas"]["Fault"];

/** An answer that refuses a request (RFC 9457). */
export class PlatenError extends Error {
  override readonly name = "PlatenError";
  /** The status of HTTP. */
  readonly status: number;
  /** It never changes its meaning. Empty: the answer was not the API's. */
  readonly code: string;
  /** What happened and what to do about it. */
  readonly detail: string;
  /** Every fault of the body. */
  readonly faults: readonly Fault[];
  /** For those who help. */
  readonly requestId: string;
  /** How long to wait, in milliseconds; 0: not said. */
  readonly retryAfter: number;
  /** The first request with the same Idempotency-Key was refused so. */
  readonly replayed: boolean;

  private constructor(answer: Response, problem: Problem | undefined, host: string) {
    const detail = problem?.detail ?? `${host} answered ${answer.status} ${answer.statusText}, and not as the API does: look at the address`;
    const faults = problem?.errors ?? [];
    const lines = [detail, ...faults.map((f) => `  ${f.row ? `row ${f.row}` : f.pointer} ${f.detail}`)];
    super(lines.join("\n") + (problem ? ` (${problem.code})` : ""));
    this.status = answer.status;
    this.code = problem?.code ?? "";
    this.detail = detail;
    this.faults = faults;
    this.requestId = answer.headers.get("X-Request-Id") ?? "";
    this.retryAfter = retryAfter(answer.headers);
    this.replayed = answer.headers.get("Idempotent-Replayed") === "true";
  }

  /** Reads an answer that refuses a request. */
  static async of(answer: Response, host: string): Promise<PlatenError> {
    return new PlatenError(answer, problemOf(await answer.text()), host);
  }
}

interface Problem {
  detail: string;
  code: string;
  errors?: Fault[];
}

function problemOf(text: string): Problem | undefined {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== "object" || said === null) return undefined;
    const { code, detail, errors } = said as Partial<Problem>;
    if (typeof code !== "string" || code === "" || typeof detail !== "string") return undefined;
    return { code, detail, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return undefined;
  }
}

/**
 * Seconds or a date of HTTP (RFC 9110, section 10.2.3), as milliseconds. A date counts from
 * that of the answer, so that a wrong clock on this machine does not matter.
 */
function retryAfter(headers: Headers): number {
  const text = headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text), maxRetryAfter) * 1000;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return 0;
  const now = Date.parse(headers.get("Date") ?? "");
  return Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}

/** A hundred years, in seconds. */
const maxRetryAfter = 100 * 365 * 24 * 3600;
