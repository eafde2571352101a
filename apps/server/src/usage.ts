import { upProgram } from "@rollcall/components/live"
import { type Command, commandHelp, flag } from "@rollcall/flags"
import { settingHelp, settingKeys, variableOf } from "./settings.ts"

/** The command line of the daemon. */
export const daemonCommand = {
  about: "Run a live cluster of modelled nodes as a daemon. It logs JSON lines to stderr. SIGTERM stops it gracefully.",
  flags: { config: flag.text("", "the settings file (YAML)") }
} satisfies Command

/** Returns the output of `rollcalld --help`. */
export const usage = (): string => {
  const rows = settingKeys.map((key) => [variableOf(key), key, settingHelp(key, upProgram.flags)] as const)
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map(
    ([variable, key, help]) => `  ${variable.padEnd(widths[0] ?? 0)}  ${key.padEnd(widths[1] ?? 0)}  ${help}`
  )
  return [
    commandHelp(daemonCommand, "rollcalld"),
    "Each setting is an environment variable or a key of the settings file; the environment variable overrides the file:",
    "",
    ...lines
  ].join("\n")
}
