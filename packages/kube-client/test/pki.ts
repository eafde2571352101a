import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Runs `use` with a new folder, and removes the folder afterwards. */
export const withFolder = <A>(use: (folder: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-client-"))
  const clean = () => rmSync(folder, { recursive: true, force: true })
  try {
    const result = use(folder)
    if (result instanceof Promise) return result.finally(clean) as A
    clean()
    return result
  } catch (cause) {
    clean()
    throw cause
  }
}

let createdPki: { readonly ca: KeyPair; readonly server: KeyPair; readonly client: KeyPair } | undefined

/** A CA, a server certificate for 127.0.0.1 and `api.test`, and a client certificate: once for all tests. */
export const pki = () => {
  createdPki ??= withFolder((folder) => {
    const at = (name: string) => join(folder, name)
    const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { stdio: "pipe" })
    const pair = (name: string): KeyPair => ({
      cert: readFileSync(at(`${name}.crt`), "utf8"),
      key: readFileSync(at(`${name}.key`), "utf8")
    })
    const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", ...ec, "-subj", "/CN=test-ca", "-keyout", at("ca.key"), "-out", at("ca.crt"))
    writeFileSync(at("server.ext"), "subjectAltName=IP:127.0.0.1,DNS:api.test")
    writeFileSync(at("client.ext"), "extendedKeyUsage=clientAuth")
    for (const [name, subject] of [
      ["server", "/CN=kube-apiserver"],
      ["client", "/O=system:masters/CN=admin"]
    ] as const) {
      openssl("req", ...ec, "-subj", subject, "-keyout", at(`${name}.key`), "-out", at(`${name}.csr`))
      const signed = ["-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-CAcreateserial", "-extfile", at(`${name}.ext`)]
      openssl("x509", "-req", "-in", at(`${name}.csr`), ...signed, "-out", at(`${name}.crt`))
    }
    return { ca: pair("ca"), server: pair("server"), client: pair("client") }
  })
  return createdPki
}
