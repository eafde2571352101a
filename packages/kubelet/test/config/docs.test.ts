import { readFileSync } from "node:fs"
import { releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { honouredFields, unsupportedFields } from "../../src/config/fields.ts"
import { honouredFlags, unsupportedFlags } from "../../src/config/flags.ts"
import { removedFlags } from "../../src/index.ts"
import { defaultsOf, describeField, fieldTypesOf } from "./describe.ts"

const page = readFileSync(new URL("../../../../docs/reference/kubelet.md", import.meta.url), "utf8")

const code = (text: string) => (text === "" ? "" : `\`${text}\``)

/** A table of the page as the code would write it. */
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const flagOf = (field: string) =>
  [...honouredFlags, ...unsupportedFlags]
    .filter((flag) => flag.field?.split(".")[0] === field)
    .map(({ name }) => code(`--${name}`))

const assertPageHas = (text: string) => assert.isTrue(page.includes(text), `docs/reference/kubelet.md lacks:\n${text}`)

describe("docs/reference/kubelet.md", () => {
  it("lists every field with an effect, with its type, flag and default", () => {
    const defaults = defaultsOf(releases["1.36"])
    const rows = Object.entries(fieldTypesOf(honouredFields))
      .filter(([name]) => name !== "apiVersion" && name !== "kind")
      .map(([name, type]) => [code(name), describeField(type), flagOf(name).join(", "), code(defaults[name] ?? "")])
    assertPageHas(table(["field", "type", "flag", "default in 1.36"], rows))
  })

  it("lists every field without effect", () => {
    assertPageHas(
      table(
        ["field", "flag"],
        Object.keys(unsupportedFields).map((name) => [code(name), flagOf(name).join(", ")])
      )
    )
  })

  it("lists flags that set no field", () => {
    const heeded = honouredFlags.filter(({ field }) => field === undefined)
    assertPageHas(
      table(
        ["flag", ""],
        heeded.map(({ help, name }) => [code(`--${name}`), help])
      )
    )
    assertPageHas(
      unsupportedFlags.flatMap(({ field, name }) => (field === undefined ? [code(`--${name}`)] : [])).join(", ")
    )
  })

  it("lists flags of earlier releases", () => {
    const rows = removedFlags.map(({ advice, lastMinor, name }) => [code(`--${name}`), `1.${lastMinor}`, advice])
    assertPageHas(table(["flag", "last in", "now"], rows))
  })

  it("shows a command line with existing flags", () => {
    const [, example = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
    const shown = [...example.matchAll(/--([a-z-]+)/g)].map((match) => match[1] ?? "")
    const known = ["kubeconfig", "config", "config-dir", ...honouredFlags.map(({ name }) => name)]
    assert.isAtLeast(shown.length, 8)
    assert.deepStrictEqual(
      shown.filter((name) => !known.includes(name)),
      []
    )
  })
})
