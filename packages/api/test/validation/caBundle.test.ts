import { assert, describe, it } from "@effect/vitest"
import { caBundleFault } from "../../src/validation/index.ts"

const pem = (type: string, content: string) =>
  Buffer.from(`-----BEGIN ${type}-----\n${content}\n-----END ${type}-----\n`).toString("base64")

describe("a bundle of certificates", () => {
  it("may be empty, or have any certificate", () => {
    assert.isUndefined(caBundleFault(""))
    assert.isUndefined(caBundleFault(pem("CERTIFICATE", "AAAA\nBBBB")))
    assert.isUndefined(caBundleFault(Buffer.from(`# mine\n${atob(pem("CERTIFICATE", "AAAA"))}`).toString("base64")))
  })

  it("is faulty without PEM, and with other PEM only", () => {
    const parse = "unable to load root certificates: unable to parse bytes as PEM block"
    assert.strictEqual(caBundleFault("AA=="), parse)
    assert.strictEqual(caBundleFault(pem("CERTIFICATE", "no-base64!")), parse)
    assert.strictEqual(
      caBundleFault(pem("RSA PRIVATE KEY", "AAAA")),
      "unable to load root certificates: no valid certificate authority data seen"
    )
  })
})
