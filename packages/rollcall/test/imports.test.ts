import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const index = new URL("../src/index.ts", import.meta.url).href

/** Runs a module in a process of its own, and returns what it prints. */
const printed = (module: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "-e", module], { encoding: "utf8" })

/** Lists the packages whose files a module has loaded. */
const loadedBy = (module: string): ReadonlyArray<string> => {
  const hook = `export const load = (url, context, next) => { process.stdout.write(url + "\\n"); return next(url, context) }`
  const lines = printed(
    `import { registerHooks } from "node:module"
     ${hook.replace("export ", "")}
     registerHooks({ load })
     ${module}`
  ).split("\n")
  return [...new Set(lines.flatMap((line) => /\/packages\/([^/]+)\/src\//.exec(line)?.[1] ?? []))]
}

describe("rollcall", () => {
  it("loads no other package before one of its functions is called", () => {
    assert.deepStrictEqual(loadedBy(`await import("${index}")`), ["rollcall"])
  })

  it("loads no HTTP server, no control plane and no live cluster for a plan of a shutdown", () => {
    const call = `const { plan } = await import("${index}"); await plan.shutdown({ config: {} })`
    const loaded = loadedBy(call)
    assert.include(loaded, "shutdown")
    for (const name of ["testing", "store-sqlite", "pki", "kube-client"]) assert.notInclude(loaded, name)
  })

  it("has the command of @rollcall/cli", () => {
    const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))
    assert.include(execFileSync(process.execPath, [bin, "--help"], { encoding: "utf8" }), "simulate")
  })
})
