import { PlatenError } from "./error.js";

/** How requests are sent. */
export interface Sending {
  fetch: typeof globalThis.fetch;
  /** How often a request is sent at most. */
  tries: number;
  /** Milliseconds that one try may take. */
  timeout: number;
}

/** Nobody knows what became of a request. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

/** More than this is not read, in bytes: a zip of outputs is the most that is answered whole. */
const maxAnswer = 128 << 20;

/** Milliseconds in which something has to come of a stream. */
const idleTime = 120_000;

// The waits between the tries of a request, in milliseconds: doubled each time, and between
// half and all of it, so that clients that failed together do not come back together.
const firstPause = 250;
const maxPause = 30_000;

/**
 * Sends a request, as often as it takes, and returns an answer from 200 to 299, which is
 * read whole. Any other one is a PlatenError. What must not happen twice is repeatable:
 * false, and sent again only after an answer that says that nothing was done.
 */
export async function exchange(by: Sending, request: Request, repeatable: boolean): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(by, request.clone());
    } catch (error) {
      const wait = pause(error, attempt, repeatable);
      if (wait === undefined || attempt >= by.tries || request.signal.aborted) throw error;
      await sleep(wait, request.signal);
    }
  }
}

async function once(by: Sending, request: Request): Promise<Response> {
  const limit = limited(request.signal, by.timeout, `no answer within ${by.timeout / 1000} seconds`);
  try {
    const answer = await ask(by, request, limit.signal);
    const body = await whole(answer, hostOf(request));
    const read = new Response(nothingIn(answer) ? null : body, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
    if (!answer.ok) throw await PlatenError.of(read, hostOf(request));
    return read;
  } finally {
    limit.end();
  }
}

/**
 * Sends a request once, and returns its answer as it comes. It may take as long as
 * something comes of it.
 */
export async function streamed(by: Sending, request: Request): Promise<Response> {
  const limit = limited(request.signal, idleTime, `nothing came for ${idleTime / 1000} seconds`);
  try {
    const answer = await ask(by, request, limit.signal);
    if (!answer.ok) {
      throw await PlatenError.of(answer, hostOf(request));
    }
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, to) {
        limit.again();
        to.enqueue(chunk);
      },
      flush: () => limit.end(),
    });
    return new Response(answer.body?.pipeThrough(watched), { status: answer.status, headers: answer.headers });
  } catch (error) {
    limit.end();
    throw error;
  }
}

async function ask(by: Sending, request: Request, signal: AbortSignal): Promise<Response> {
  try {
    return await by.fetch(request, { signal });
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new Unanswered(`ask ${hostOf(request)}: ${reason(signal, error)}`, { cause: error });
  }
}

/** The body of an answer, up to a limit. */
async function whole(answer: Response, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    const reader = answer.body?.getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      parts.push(part.value);
      size += part.value.byteLength;
      if (size > maxAnswer) {
        await reader?.cancel();
        break;
      }
    }
  } catch (error) {
    throw new Unanswered(`read the answer of ${host}: ${messageOf(error)}`, { cause: error });
  }
  if (size > maxAnswer) throw new Error(`the answer of ${host} has more than ${maxAnswer} bytes: read it by stream()`);
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}

/** An answer with such a status has no body. */
const nothingIn = (answer: Response): boolean => [204, 205, 304].includes(answer.status);

/** Tells whether a request that failed is worth another try, and after which wait. */
function pause(error: unknown, attempt: number, repeatable: boolean): number | undefined {
  const most = Math.min(firstPause * 2 ** Math.min(attempt - 1, 16), maxPause);
  const wait = most / 2 + (Math.random() * most) / 2;
  if (error instanceof Unanswered) return repeatable ? wait : undefined;
  if (!(error instanceof PlatenError) || error.retryAfter > maxPause) return undefined;
  const later = Math.max(wait, error.retryAfter);
  switch (error.status) {
    case 429:
      return later;
    case 503:
      return repeatable || error.code === "busy" ? later : undefined;
    case 500:
    case 502:
    case 504:
      return repeatable ? later : undefined;
  }
  return error.code === "idempotency_in_progress" ? later : undefined;
}

/** Waits, or throws as soon as the signal says so. */
export function sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((done, failed) => {
    const stop = () => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, milliseconds);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that also ends after some time, which can begin again. */
function limited(from: AbortSignal, milliseconds: number, why: string) {
  const stop = new AbortController();
  const pass = () => stop.abort(from.reason);
  let timer: ReturnType<typeof setTimeout>;
  const end = () => {
    clearTimeout(timer);
    from.removeEventListener("abort", pass);
  };
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(new Error(why)), milliseconds);
  };
  again();
  if (from.aborted) pass();
  from.addEventListener("abort", pass, { once: true });
  return { signal: stop.signal, again, end };
}

/** Why a request failed, in place of what an abort looks like. */
const reason = (signal: AbortSignal, error: unknown): string => messageOf(signal.aborted ? signal.reason : error);

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** An address of a source is a credential, so errors name the host alone. */
const hostOf = (request: Request): string => new URL(request.url).host;
