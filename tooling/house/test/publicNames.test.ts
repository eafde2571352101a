import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import {
  type PublicName,
  publicNames,
  type Repository,
  readRepository,
  unlistedExports,
  withoutUser
} from "../src/publicNames.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const repository = (files: Readonly<Record<string, string>>): Repository => ({
  files: Object.keys(files),
  read: (file) => files[file] ?? ""
})

const manifest = JSON.stringify({
  name: "@rollcall/x",
  exports: { ".": "./src/index.ts", "./rules": "./src/rules.ts" }
})
const source = `
const ms = 1_000

interface Hidden {
  readonly unit: Unit
}

export type Unit = "s" | "ms"
export interface Options extends Hidden {
  readonly graceMs: number
}
export const start = (options: Options): number => options.graceMs * ms + stop()
export const stop = () => 0
export const decide = () => true
`
const files = {
  "packages/x/package.json": manifest,
  "packages/x/src/index.ts": `export { type Options, start, stop, type Unit } from "./start.ts"\n`,
  "packages/x/src/rules.ts": `export { decide } from "./start.ts"\n`,
  "packages/x/src/start.ts": source,
  "packages/x/test/start.test.ts": `import { stop } from "@rollcall/x"\n`
}
const user = { "apps/a/src/main.ts": `import {\n  type Other,\n  start as begin\n} from "@rollcall/x"\n` }

const usersOf = (names: ReadonlyArray<PublicName>) => Object.fromEntries(names.map(({ name, user }) => [name, user]))

describe("public names", () => {
  it("have a user, each of them", () => {
    const names = publicNames(readRepository(root))
    assert.isAbove(names.length, 1_000)
    assert.deepStrictEqual(withoutUser(names), [])
  })

  it("are listed in the entries, one by one", () => {
    assert.deepStrictEqual(unlistedExports(readRepository(root)), [])
    const star = { ...files, "packages/x/src/rules.ts": `export * from "./start.ts"\n` }
    assert.deepStrictEqual(unlistedExports(repository(star)), [
      "packages/x/src/rules.ts: list the names instead of export *"
    ])
  })

  it("have none in their own package's tests, nor in the body of another public name", () => {
    assert.deepStrictEqual(withoutUser(publicNames(repository({ ...files, ...user }))), [
      "@rollcall/x: stop is exported, and has no user outside of its package"
    ])
  })

  it("have one in a signature, by way of types that are not exported too", () => {
    assert.deepStrictEqual(usersOf(publicNames(repository({ ...files, ...user }))), {
      Options: "signature",
      start: "package",
      stop: undefined,
      Unit: "signature",
      decide: undefined
    })
  })

  it("have one on a page that imports them, or has them in code", () => {
    const example = '```ts\nimport { start } from "@rollcall/x"\n```\n'
    const pages = { ...files, "docs/x.md": example, "packages/x/README.md": "Call `stop()` to stop.\n" }
    const { start, stop } = usersOf(publicNames(repository(pages)))
    assert.deepStrictEqual([start, stop], ["page", "page"])
  })

  it("are found by namespaces and by imports at run time", () => {
    const text = `import * as X from "@rollcall/x"\nconst { start } = yield* Effect.promise(() => import("@rollcall/x"))\nX.stop()\nimport("@rollcall/x/rules").then(({ decide }) => decide())\n`
    const { decide, start, stop } = usersOf(publicNames(repository({ ...files, "tooling/t/src/t.ts": text })))
    assert.deepStrictEqual([decide, start, stop], ["package", "package", "package"])
  })
})
