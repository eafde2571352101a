import { upProgram } from "@rollcall/components/live"
import { type Command, commandHelp, flag } from "@rollcall/flags"
import { settingKeys, settingOf, variableOf } from "./settings.ts"

/** The command line of the daemon. */
export const daemonCommand = {
  about: "A live cluster of modelled nodes as a daemon: logs are JSON lines on stderr, SIGTERM ends it in order.",
  flags: { config: flag.text("", "the file of its settings") }
} satisfies Command

/** Returns the output of `rollcalld --help`. */
export const usage = (): string => {
  const rows = settingKeys.map((key) => [variableOf(key), key, settingOf(key, upProgram.flags)] as const)
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map(
    ([variable, key, help]) => `  ${variable.padEnd(widths[0] ?? 0)}  ${key.padEnd(widths[1] ?? 0)}  ${help}`
  )
  return [
    commandHelp(daemonCommand, "rollcalld"),
    "The file is YAML, a setting a line. A variable of the environment counts more than the file:",
    "",
    ...lines
  ].join("\n")
}
