import { type Flag, readBool } from "@rollcall/flags"
import * as Result from "effect/Result"

export type Given = Readonly<Record<string, boolean>>

const entriesOf = (text: string) =>
  text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=")
      const name = (at < 0 ? part : part.slice(0, at)).trim()
      return { name, text: at < 0 ? undefined : part.slice(at + 1).trim() }
    })

/** The flag `--feature-gates`, with upstream's errors. Upstream: staging/src/k8s.io/component-base/featuregate. */
export const gatesFlag: Flag<Given> = {
  initial: {},
  read: (text, previous) => {
    const read: Record<string, boolean> = { ...previous }
    for (const { name, text: value } of entriesOf(text)) {
      if (value === undefined) return Result.fail(`missing bool value for ${name}`)
      const on = readBool(value)
      if (Result.isFailure(on)) return Result.fail(`invalid value of ${name}=${value}, err: ${on.failure}`)
      read[name] = on.success
    }
    return Result.succeed(read)
  },
  format: (gates) => [
    Object.entries(gates)
      .map(([name, on]) => `${name}=${on}`)
      .join(",")
  ],
  help: "feature gates: name=true or name=false, separated by commas",
  placeholder: "mapStringBool"
}

/** Whether settings turn on a gate that is alpha. */
export const isAlphaOn = (given: Given, gate: string): boolean => given[gate] ?? given.AllAlpha ?? false
