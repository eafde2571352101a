import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { checkSharedKeys, keyDigest } from "../src/apiserver/clusterKeys.ts"
import { frontProxiesOf } from "../src/apiserver/frontProxies.ts"
import { keepAuthenticationTrust } from "../src/apiserver/kept/configMaps.ts"

const makeKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const [own, other] = [makeKey(), makeKey()]
const pkiOf = (authorityPem: string, privateKeyPem: string) => ({
  authorityPem,
  serviceAccountKey: { privateKeyPem, publicKeyPem: "" }
})

describe("a server of a store that others share", () => {
  it("starts with the keys of the cluster alone", () => {
    const messages = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        const check = (authorityPem: string, key: string) =>
          checkSharedKeys(api, "/data", pkiOf(authorityPem, key)).pipe(
            Effect.match({ onSuccess: () => "starts", onFailure: ({ message }) => message })
          )
        const first = yield* check("PEM\n", own)
        yield* keepAuthenticationTrust(api, "PEM\n", frontProxiesOf("PROXY"), keyDigest(own))
        return [first, yield* check("PEM", own), yield* check("OTHER", own), yield* check("PEM", other)]
      })
    )
    const [first, same, foreignAuthority = "", foreignKey = ""] = messages
    assert.deepStrictEqual([first, same], ["starts", "starts"])
    assert.match(
      foreignAuthority,
      /^\/data\/pki\/ca\.crt is not the authority of the cluster in etcd, .*copy ca\.crt, /
    )
    assert.match(foreignKey, /^\/data\/pki\/sa\.key is not the key of service accounts of the cluster in etcd, /)
  })
})
