import type { components } from "./contract.js";

type Schemas = components["schemas"];

/**
 * What a receiver gets. Remember event_id: any event may come twice. There may be other
 * types than these: ignore them.
 */
export type SignedEvent = Schemas["DocumentsCreated"] | Schemas["DocumentFailed"] | Schemas["BatchCompleted"] | Schemas["WorkflowTest"];

/** The headers of a request, as fetch or as Node has them. */
export type HeadersOfRequest = Headers | Record<string, string | string[] | undefined>;

/** An event is not signed with the secret, or too old. Answer 401. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

/** Keys of Standard Webhooks have this many bytes at least. With an empty one anybody could sign. */
const minKey = 24;

/** Seconds by which the time of an event may differ from this machine's. */
const tolerance = 300;

/** Knows the events of one workflow by its signing secret (Standard Webhooks). */
export class Verifier {
  readonly #key: Promise<CryptoKey>;

  /**
   * Takes a secret as the API answers it. While a secret is rotated, events carry both
   * signatures, so that either secret is good.
   */
  constructor(secret: string) {
    const bytes = bytesOf(secret.trim());
    if (bytes === undefined || bytes.byteLength < minKey) {
      throw new Error(`the signing secret must be whsec_ and at least ${minKey} bytes in base64, as the API answers it`);
    }
    this.#key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  }

  /** Reads an event, whose body is given as it came. One of somebody else is a SignatureError. */
  async verify(headers: HeadersOfRequest, body: string | Uint8Array | ArrayBuffer): Promise<SignedEvent> {
    const id = valueOf(headers, "webhook-id");
    const at = valueOf(headers, "webhook-timestamp");
    if (id !== "" && /^\d{1,12}$/.test(at) && Math.abs(Date.now() / 1000 - Number(at)) < tolerance) {
      const key = await this.#key;
      const said = saidBytes(id, at, body);
      for (const one of valueOf(headers, "webhook-signature").split(" ")) {
        const signature = one.startsWith("v1,") ? decoded(one.slice(3)) : undefined;
        if (signature !== undefined && (await crypto.subtle.verify("HMAC", key, signature, said))) {
          return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as SignedEvent;
        }
      }
    }
    throw new SignatureError("the event is not signed with the secret of this workflow, or its time is more than five minutes away");
  }

  /** Reads the event of a request, such as servers of Deno, Bun and the edge get it. */
  async verifyRequest(request: Request): Promise<SignedEvent> {
    return this.verify(request.headers, await request.arrayBuffer());
  }

  /**
   * The headers of an event that is delivered at that time. It is for tests of receivers,
   * and for handing events on.
   */
  async sign(id: string, at: Date, body: string | Uint8Array | ArrayBuffer): Promise<Record<string, string>> {
    const seconds = String(Math.floor(at.getTime() / 1000));
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, saidBytes(id, seconds, body)));
    return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${btoa(String.fromCharCode(...signature))}` };
  }
}

function valueOf(headers: HeadersOfRequest, name: string): string {
  if (typeof (headers as Headers).get === "function") return (headers as Headers).get(name) ?? "";
  for (const [key, value] of Object.entries(headers as Record<string, string | string[] | undefined>)) {
    if (key.toLowerCase() === name) return (Array.isArray(value) ? value.join(" ") : value) ?? "";
  }
  return "";
}

function saidBytes(id: string, at: string, body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const before = encoder.encode(`${id}.${at}.`);
  const after = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const all = new Uint8Array(before.byteLength + after.byteLength);
  all.set(before);
  all.set(after, before.byteLength);
  return all;
}

const bytesOf = (secret: string): Uint8Array<ArrayBuffer> | undefined => (secret.startsWith("whsec_") ? decoded(secret.slice(6)) : undefined);

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
