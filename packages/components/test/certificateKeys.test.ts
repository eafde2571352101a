import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makeKeyPem, makeRequest, openPki, selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  certificateReaders,
  signDetached,
  signingAuthority,
  startedByWallClock
} from "../src/certificates/certificateKeys.ts"
import { signingFiles, signingFlags } from "../src/certificates/signingFiles.ts"

const NOW = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-keys-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const request = Buffer.from(makeRequest(makeKeyPem(), { commonName: "joe" })).toString("base64")
const terms = { usages: ["client auth"], notBeforeMs: NOW, notAfterMs: NOW + HOUR_MS }

describe("the keys of certificate controllers", () => {
  it("sign a content with a token as a genuine bootstrap signer does", () => {
    assert.strictEqual(
      signDetached("hello: world\n", "abcdef", "0123456789abcdef"),
      "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..ctfuasB6kUb8DPgCEoyugZSJoILE7x3FUYdhUYSAu5Q"
    )
  })

  it.effect("sign from the clock of the machine on, if that of the cluster is ahead", () =>
    Effect.gen(function* () {
      const pki = yield* openPki({ folder: join(yield* temporaryFolder, "pki"), nowMs: NOW })
      const startAt = (wallMs: number) => {
        const sign = startedByWallClock(pki.signRequest, () => wallMs)
        const signed = Result.getOrThrow(signingAuthority(pki.authorityPem, sign).sign(request, terms))
        return new X509Certificate(Buffer.from(signed, "base64")).validFromDate.getTime() - NOW
      }
      assert.deepStrictEqual([startAt(NOW - HOUR_MS), startAt(NOW + HOUR_MS)], [-HOUR_MS - 300_000, 0])
    }).pipe(Effect.scoped)
  )

  it("read requests and the ends of certificates, and say what is none", () => {
    assert.strictEqual(Result.getOrThrow(certificateReaders.read(request)).commonName, "joe")
    assert.deepStrictEqual(certificateReaders.read("eA=="), Result.fail("PEM block type must be CERTIFICATE REQUEST"))
    assert.isUndefined(certificateReaders.endOf("eA=="))
  })
})

describe("--cluster-signing-*", () => {
  const CLIENT = "kubernetes.io/kube-apiserver-client"
  const SERVING = "kubernetes.io/kubelet-serving"
  const defaults = Object.fromEntries(Object.entries(signingFlags).map(([name, flag]) => [name, flag.initial]))
  const load = (given: Readonly<Record<string, string>>) => signingFiles({ ...defaults, ...given } as never)

  it.effect("names the authority of all signers, or of each alone", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* openPki({ folder, nowMs: NOW })
      const [cert, key] = [join(folder, "ca.crt"), join(folder, "ca.key")]
      const signers = (files: Effect.Success<ReturnType<typeof load>>) =>
        [CLIENT, SERVING, "example.com/x"].map((signer) => files.authorityOf(signer) !== undefined)
      const common = { "cluster-signing-cert-file": cert, "cluster-signing-key-file": key }
      const own = {
        "cluster-signing-kubelet-serving-cert-file": cert,
        "cluster-signing-kubelet-serving-key-file": key
      }
      assert.deepStrictEqual(signers(yield* load({})), [false, false, false])
      assert.deepStrictEqual(signers(yield* load(common)), [true, true, false])
      assert.deepStrictEqual(signers(yield* load(own)), [false, true, false])
      assert.deepStrictEqual(signers(yield* load({ "cluster-signing-cert-file": cert })), [false, false, false])
      const both = yield* Effect.flip(load({ ...common, ...own }))
      assert.include(both.message, "cannot specify default and per controller certs at the same time")
      const half = yield* Effect.flip(load({ "cluster-signing-kubelet-serving-cert-file": cert }))
      assert.include(half.message, `failed to init ${SERVING} certificate controller: error reading CA key file ""`)
      const chain = join(folder, "chain")
      writeFileSync(chain, selfSigned([], NOW).certificatePem)
      const two = yield* Effect.flip(load({ ...common, "cluster-signing-cert-file": chain }))
      assert.include(two.message, "expected 1 certificate, found 2")
      const files = yield* load(common)
      writeFileSync(cert, "damaged")
      const read = files.authorityOf(CLIENT)
      assert.isTrue(Result.isFailure(yield* Effect.result(read ?? Effect.fail(""))))
    }).pipe(Effect.scoped)
  )
})
