import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const packages = fileURLToPath(new URL("../..", import.meta.url))

/** Matches the static imports of a module, except types. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^"]*?from\s+"([^"]+)"|^import\s+"([^"]+)"/gms

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
}

const fileOf = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return resolve(dirname(from), specifier)
  const [, name = "", path = ""] = /^@rollcall\/([^/]+)(\/.*)?$/.exec(specifier) ?? []
  if (name === "") return undefined
  const manifest = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as Manifest
  const entry = manifest.exports[`.${path}`]
  return entry === undefined ? undefined : join(packages, name, entry)
}

/** Returns the packages, and the modules of Node, that files load. */
const loadedBy = (...entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const files = new Set<string>()
  const builtIn = new Set<string>()
  const waiting = entries.map((entry) => join(packages, "components/src", entry))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const [, named, bare] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      const next = fileOf(file, named ?? bare ?? "")
      if (next !== undefined) waiting.push(next)
      else if (named?.startsWith("node:")) builtIn.add(named)
    }
  }
  return new Set([...[...files].map((file) => file.slice(packages.length).split("/")[0] ?? ""), ...builtIn])
}

describe("a program", () => {
  // An import of node:http evaluates its exports, and one of them loads the whole fetch.
  it.each(["runApiserver", "runKubelet", "runControllerManager"])("of %s does not import node:http", (program) => {
    const loaded = loadedBy("index.ts", `programs/${program}.ts`)
    assert.include(loaded, "node:https")
    assert.notInclude(loaded, "node:http")
  })
})

describe("an API server", () => {
  it("is loaded without kubelets, controllers and schedulers", () => {
    const loaded = loadedBy("index.ts", "programs/apiserver.ts", "programs/runApiserver.ts")
    assert.include(loaded, "api-server")
    for (const name of ["kubelet", "node-controller", "scheduler", "store-etcd", "volumes", "workloads"])
      assert.notInclude(loaded, name)
  })

  it("is loaded without the schemas and expressions of custom resources and policies", () => {
    const loaded = loadedBy("index.ts", "programs/apiserver.ts", "programs/runApiserver.ts")
    for (const name of ["cel", "structural-schema"]) assert.notInclude(loaded, name)
  })

  it("is a meaningful check: a kubelet's program loads them", () => {
    assert.include(loadedBy("programs/runKubelet.ts"), "kubelet")
  })
})
