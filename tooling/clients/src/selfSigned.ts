import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

let made: { readonly key: string; readonly cert: string } | undefined

/** Returns a self-signed certificate for 127.0.0.1, created once for all tests. */
export const selfSigned = (): { readonly key: string; readonly cert: string } => {
  if (made !== undefined) return made
  const folder = mkdtempSync(join(tmpdir(), "rollcall-clients-"))
  try {
    const [key, cert] = [join(folder, "key"), join(folder, "cert")]
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-days", "2"]
    const files = ["-keyout", key, "-out", cert]
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    execFileSync("openssl", ["req", "-x509", ...kind, ...names, ...files], { stdio: "ignore" })
    made = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") }
    return made
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
