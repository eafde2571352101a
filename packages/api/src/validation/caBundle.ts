import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

const block = /-----BEGIN ([^\n]*?)-----[^\S\n]*\n([\s\S]*?)\n?-----END \1-----/g

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0

/**
 * Returns why a bundle of certificates, in base64 of PEM, has none that could be trusted; undefined if it has one, or if it
 * is empty: then those of the system are. Certificates are not read. Upstream: client-go/transport/transport.go, rootCertPool.
 */
export const caBundleFault = (bundle: string): string | undefined => {
  if (bundle === "") return undefined
  const text = Result.getOrElse(Base64.decodeString(bundle), () => "")
  const blocks = [...text.matchAll(block)].filter(([, , content = ""]) => isBase64(content.replace(/\s/g, "")))
  if (blocks.some(([, type]) => type === "CERTIFICATE")) return undefined
  const why = blocks.length === 0 ? "unable to parse bytes as PEM block" : "no valid certificate authority data seen"
  return `unable to load root certificates: ${why}`
}
