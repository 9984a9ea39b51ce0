import { createHmac, timingSafeEqual } from "node:crypto";

/** Seconds by which the time of an event may differ from this machine's. */
const tolerance = 300;

/** Keys of Standard Webhooks have this many bytes at least. With an empty one anybody could sign. */
const minKey = 24;

/** What a signature is made of, as a request has it. */
export interface Signed {
  id: string;
  at: string;
  signatures: string[];
}

/** Reads the headers of an event. undefined: nobody signed it, or it is old. */
export function signedOf(headers: Record<string, unknown>): Signed | undefined {
  const text = (name: string) => (typeof headers[name] === "string" ? headers[name] : "");
  const [id, at] = [text("webhook-id"), text("webhook-timestamp")];
  const signatures = text("webhook-signature").split(" ").filter((one) => one.startsWith("v1,"));
  const fresh = /^\d{1,12}$/.test(at) && Math.abs(Date.now() / 1000 - Number(at)) < tolerance;
  return id !== "" && fresh && signatures.length > 0 ? { id, at, signatures } : undefined;
}

/** Tells whether an event is signed with a secret (Standard Webhooks). The body is given as it came. */
export function isSigned(secret: string, by: Signed, body: Buffer): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.byteLength < minKey) return false;
  const want = Buffer.from("v1," + createHmac("sha256", key).update(`${by.id}.${by.at}.`).update(body).digest("base64"));
  return by.signatures.some((one) => {
    const got = Buffer.from(one);
    return got.byteLength === want.byteLength && timingSafeEqual(got, want);
  });
}
