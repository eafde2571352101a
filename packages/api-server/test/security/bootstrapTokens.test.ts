import { assert, describe, it } from "@effect/vitest"
import { START_MS } from "../core/testServer.ts"
import { makeSecuredTestServer, type SecuredTestServer } from "./securedTestServer.ts"

const SECRET = "0123456789abcdef"
const valid = { "token-secret": SECRET, "usage-bootstrap-authentication": "true" }

const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]))

const createToken = (
  testServer: SecuredTestServer,
  id: string,
  data: Readonly<Record<string, string>>,
  type = "bootstrap.kubernetes.io/token",
  namespace = "kube-system"
) =>
  testServer.create("Secret", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `bootstrap-token-${id}`, namespace },
    type,
    data: encoded({ "token-id": id, ...data })
  })

const userOf = (testServer: SecuredTestServer, token: string) =>
  testServer.security.authenticator.authenticate({
    headers: { authorization: `Bearer ${token}` },
    certificate: undefined
  })

describe("bootstrap tokens", () => {
  it("authenticate as a user of the bootstrappers and of the groups that they name", () => {
    const testServer = makeSecuredTestServer({ bootstrapTokens: true })
    const groups = "system:bootstrappers:workers,system:bootstrappers:a:b"
    createToken(testServer, "abcdef", { ...valid, "auth-extra-groups": groups })
    assert.deepStrictEqual(userOf(testServer, `abcdef.${SECRET}`), {
      user: "system:bootstrap:abcdef",
      groups: [
        "system:bootstrappers",
        "system:bootstrappers:a:b",
        "system:bootstrappers:workers",
        "system:authenticated"
      ]
    })
  })

  it("are refused with another secret, form, ID, type or namespace, without the usage, expired or with bad groups", () => {
    const testServer = makeSecuredTestServer({ bootstrapTokens: true })
    const isKnown = (id: string, secret = SECRET) => userOf(testServer, `${id}.${secret}`) !== "invalid"
    createToken(testServer, "abcdef", valid)
    assert.isTrue(isKnown("abcdef"))
    assert.isFalse(isKnown("abcdef", "0123456789abcdeX"))
    assert.isFalse(isKnown("abcdef", "0123456789abcdee"))
    assert.isFalse(isKnown("nosuch"))
    createToken(testServer, "others", { ...valid, "token-id": "abcdef" })
    createToken(testServer, "opaque", valid, "Opaque")
    createToken(testServer, "public", valid, undefined, "default")
    createToken(testServer, "nousag", { "token-secret": SECRET, "usage-bootstrap-authentication": "yes" })
    createToken(testServer, "groups", { ...valid, "auth-extra-groups": "system:masters" })
    createToken(testServer, "expire", { ...valid, expiration: new Date(START_MS).toISOString() })
    createToken(testServer, "unread", { ...valid, expiration: "tomorrow" })
    for (const id of ["others", "opaque", "public", "nousag", "groups", "expire", "unread"])
      assert.isFalse(isKnown(id), id)
    createToken(testServer, "future", { ...valid, expiration: new Date(START_MS + 60_000).toISOString() })
    assert.isTrue(isKnown("future"))
  })

  it("do not authenticate unless the server is told so", () => {
    const testServer = makeSecuredTestServer({})
    createToken(testServer, "abcdef", valid)
    assert.strictEqual(userOf(testServer, `abcdef.${SECRET}`), "invalid")
  })
})
