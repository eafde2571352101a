import * as Result from "effect/Result"
import { assert } from "vitest"
import { type Command, flag, formatFlagProblem, optional, readCommand, required } from "../src/index.ts"

export const flags = {
  name: flag.text("x", "a name", { short: "n" }),
  grace: flag.duration(1000, "a time"),
  count: flag.integer(1, "how many", { short: "c", min: 0, max: 100 }),
  rate: flag.number(0.5, "how often"),
  quiet: flag.boolean(false, "say nothing", { short: "q" }),
  all: flag.boolean(false, "everything", { short: "A" }),
  mode: flag.oneOf(["fast", "slow"], "fast", "how"),
  zones: flag.texts("where"),
  set: flag.repeated("a change"),
  labels: flag.pairs("labels"),
  "dry-run": flag.text("none", "only try", { bare: "client" }),
  seed: optional(flag.integer(0, "the seed"))
}

export const command: Command<typeof flags> = {
  about: "A tool.",
  flags,
  operands: { usage: "[FILE...]", help: "files" },
  ignored: ["old-flag"],
  underscores: true
}

/** A command that takes nothing but what it must be given. */
export const strictCommand = {
  about: "Strict.",
  flags: { vary: required(flag.text("", "what to vary")) }
} satisfies Command

export const read = (...args: ReadonlyArray<string>) => readCommand(command, "tool", args)

export const readOrFail = (...args: ReadonlyArray<string>) => {
  const result = read(...args)
  return Result.isSuccess(result) ? result.success : assert.fail(result.failure.message)
}

export const problemOf = (given: Command, ...args: ReadonlyArray<string>): string => {
  const result = readCommand(given, "tool", args)
  return Result.isFailure(result) ? formatFlagProblem(result.failure) : assert.fail("accepted")
}
