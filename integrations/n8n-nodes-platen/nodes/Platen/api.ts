import type { IDataObject, IExecuteFunctions, IHookFunctions, IHttpRequestMethods, ILoadOptionsFunctions, IWebhookFunctions, JsonObject } from "n8n-workflow";
import { NodeApiError, NodeOperationError, sleep } from "n8n-workflow";

export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

interface Asked {
  method: IHttpRequestMethods;
  /** Below the address of the credentials. */
  path?: string;
  /** In place of path: that of a source, to which no token goes. */
  address?: string;
  query?: IDataObject;
  headers?: IDataObject;
  body?: IDataObject;
  /** The answer is a file. */
  file?: boolean;
  /** A repeat leaves what once leaves. GET, PATCH and PUT are. */
  repeatable?: boolean;
  /** Codes that say that there is nothing, which is no error. */
  absent?: RegExp;
  /** The item that it is about. */
  itemIndex?: number;
}

export interface Answered<T> {
  status: number;
  headers: Record<string, string | undefined>;
  body: T;
}

interface Problem {
  code?: string;
  detail?: string;
  errors?: Array<{ pointer: string; detail: string }>;
  requestId?: string;
}

const tries = 5;

// Milliseconds between the tries of a request: doubled each time, and between half and all
// of it.
const firstPause = 250;
const maxPause = 30_000;

/** Milliseconds that a try may take; the service lets a request wait for 50 seconds. */
const timeout = 60_000;

/** Sends a request, as often as it takes. An answer that refuses it is an error with the field and the cure. */
export async function ask<T>(context: Context, asked: Asked): Promise<Answered<T>> {
  const repeatable = asked.repeatable ?? ["GET", "PATCH", "PUT"].includes(asked.method);
  for (let attempt = 1; ; attempt++) {
    const most = Math.min(firstPause * 2 ** (attempt - 1), maxPause);
    let wait = most / 2 + (Math.random() * most) / 2;
    let failure: Error;
    let again: boolean;
    try {
      const answer = await once<T>(context, asked);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const problem = problemOf(answer.body);
      if (asked.absent?.test(problem.code ?? "")) return answer;
      const later = laterOf(answer.headers["retry-after"]);
      again = later <= maxPause && worthAnother(answer.status, problem.code ?? "", repeatable);
      wait = Math.max(wait, later);
      failure = refusal(context, asked, answer.status, problem);
    } catch (error) {
      again = repeatable;
      failure = new NodeApiError(context.getNode(), error as JsonObject, {
        message: "Platen did not answer",
        description: `${(error as Error).message}. Look at "API Address" of the credentials, and whether this machine reaches it.`,
        itemIndex: asked.itemIndex,
      });
    }
    if (!again || attempt >= tries) throw failure;
    await sleep(wait);
  }
}

async function once<T>(context: Context, asked: Asked): Promise<Answered<T>> {
  const options = {
    method: asked.method,
    qs: asked.query,
    headers: asked.headers,
    body: asked.body,
    json: !asked.file,
    ...(asked.file && { encoding: "arraybuffer" as const }),
    arrayFormat: "repeat" as const,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    timeout,
  };
  const answer = (await (asked.address === undefined
    ? context.helpers.httpRequestWithAuthentication.call(context, "platenApi", { ...options, url: (await addressOf(context)) + asked.path })
    : context.helpers.httpRequest({ ...options, url: asked.address }))) as { statusCode: number; headers: Record<string, string>; body: T };
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
}

/** The address of the API, which ends in its version. */
export async function addressOf(context: Context): Promise<string> {
  const { address } = await context.getCredentials<{ address: string }>("platenApi");
  const [, origin, path] = /^(https?:\/\/[^/?#@\s]+)(\/[^?#\s]*)?$/.exec(address.trim()) ?? [];
  if (origin === undefined) {
    throw new NodeOperationError(context.getNode(), '"API Address" of the credentials is no address', {
      description: "Give that of the API alone, such as https://platen.example/v0.",
    });
  }
  return origin + ((path ?? "").replace(/\/+$/, "") || "/v0");
}

/** Tells whether a request that failed is worth another try. */
function worthAnother(status: number, code: string, repeatable: boolean): boolean {
  if (status === 429 || code === "idempotency_in_progress") return true;
  if (status === 503) return repeatable || code === "busy";
  return repeatable && [500, 502, 504].includes(status);
}

/** Retry-After as milliseconds: seconds, or a date. */
function laterOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  return Math.max(0, (Date.parse(text) || 0) - Date.now());
}

function problemOf(body: unknown): Problem {
  if (Buffer.isBuffer(body) || body instanceof ArrayBuffer) {
    try {
      return JSON.parse(Buffer.from(body as Buffer).toString()) as Problem;
    } catch {
      return {};
    }
  }
  return typeof body === "object" && body !== null ? body : {};
}

function refusal(context: Context, asked: Asked, status: number, problem: Problem): NodeApiError {
  const known = typeof problem.code === "string" && typeof problem.detail === "string";
  const faults = (known && problem.errors) || [];
  return new NodeApiError(context.getNode(), { ...problem, status } as unknown as JsonObject, {
    httpCode: String(status),
    itemIndex: asked.itemIndex,
    message: known ? problem.detail : `The answer has status ${status}, and is not Platen's`,
    description: known
      ? [...faults.map((f) => `${f.pointer || "The whole body"}: ${f.detail}.`), `Code ${problem.code}, request ${problem.requestId}.`].join("\n")
      : 'Look at "API Address" of the credentials: it ends in the version, such as https://platen.example/v0.',
  });
}

/** A part of a path. */
export const part = (id: unknown): string => encodeURIComponent(String(id));
