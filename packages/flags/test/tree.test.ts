import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import {
  type CommandNode,
  commandHelp,
  complete,
  completionLines,
  completionScript,
  findCommand,
  flag,
  formatFlagProblem,
  groupHelp,
  unknownCommand
} from "../src/index.ts"
import { command, strictCommand } from "./tables.ts"

const root: CommandNode<string> = {
  name: "tool",
  summary: "A tool of many commands.",
  flags: { version: flag.boolean(false, "print the version") },
  commands: [
    { name: "run", summary: "Run things.", load: () => Promise.resolve(command), run: "run" },
    {
      name: "plan",
      summary: "Plan things.",
      heading: "Plans",
      commands: [
        { name: "drain", summary: "Plan a drain.", load: () => Promise.resolve(strictCommand), run: "plan drain" }
      ]
    },
    { name: "secret", summary: "Not shown.", hidden: true, load: () => Promise.resolve(strictCommand) }
  ]
}

describe("a tree of commands", () => {
  it("is followed as far as words are names", () => {
    const { node, rest, typed } = findCommand(root, ["plan", "drain", "n1", "--vary", "x"])
    assert.deepStrictEqual([node.run, typed, rest], ["plan drain", "tool plan drain", ["n1", "--vary", "x"]])
    assert.strictEqual(findCommand(root, ["--version", "run"]).node, root)
  })

  it("names the command that was meant, and none that is hidden", () => {
    const wrong = (word: string) => formatFlagProblem(unknownCommand(findCommand(root, [word]), word))
    assert.strictEqual(wrong("plam"), 'unknown command "plam" for "tool"; did you mean "plan"?')
    assert.strictEqual(wrong("secre"), 'unknown command "secre" for "tool"')
  })
})

describe("help", () => {
  it("of a command has cobra's layout", () => {
    const help = commandHelp({ ...command, examples: ["run -n y"], global: ["seed"] }, "tool run")
    assert.strictEqual(
      help,
      `A tool.

Usage:
  tool run [FILE...] [flags]

Arguments:
  [FILE...]   files

Examples:
  tool run -n y

Flags:
  -A, --all                         everything
  -c, --count int                   how many (default 1)
      --dry-run string[="client"]   only try (default "none")
      --grace duration              a time (default 1s)
  -h, --help                        print this help and exit
      --labels mapStringString      labels
      --mode string                 how: fast, slow (default "fast")
  -n, --name string                 a name (default "x")
  -q, --quiet                       say nothing
      --rate float                  how often (default 0.5)
      --set stringArray             a change
      --zones strings               where

Global Flags:
      --seed int   the seed
`
    )
    assert.include(commandHelp(strictCommand, "tool plan drain"), "--vary string   what to vary (required)")
  })

  it("of a group lists its commands by heading", () => {
    assert.strictEqual(
      groupHelp({ node: root, typed: "tool" }),
      `A tool of many commands.

Usage:
  tool [command]

Available Commands:
  run    Run things.

Plans:
  plan   Plan things.

Flags:
  -h, --help      print this help and exit
      --version   print the version

Use "tool [command] --help" for more information about a command.
`
    )
  })
})

describe("completion", () => {
  const words = async (...line: ReadonlyArray<string>) => {
    const { candidates, files } = await complete(root, line)
    return [...candidates.map(({ word }) => word), ...(files ? [":files"] : [])]
  }

  it("offers commands, flags, and the values of flags", async () => {
    assert.deepStrictEqual(await words(""), ["run", "plan"])
    assert.deepStrictEqual(await words("p"), ["plan"])
    assert.deepStrictEqual(await words("plan", ""), ["drain"])
    assert.deepStrictEqual(await words("help", "plan", ""), ["drain"])
    assert.deepStrictEqual(await words("--v"), ["--version"])
    assert.deepStrictEqual(await words("run", "--m"), ["--mode="])
    assert.deepStrictEqual(await words("run", "--q"), ["--quiet"])
    assert.deepStrictEqual(await words("run", "--mode", ""), ["fast", "slow"])
    assert.deepStrictEqual(await words("run", "--mode=s"), ["--mode=slow"])
    assert.deepStrictEqual(await words("run", "-n", ""), [":files"])
    assert.deepStrictEqual(await words("run", "--count", ""), [])
    assert.deepStrictEqual(await words("run", "--quiet", ""), [":files"])
    assert.deepStrictEqual(await words("run", "--", "--q"), [":files"])
    assert.deepStrictEqual(await words("nothing", "x"), [])
    assert.deepStrictEqual(await words("plan", "drain", ""), ["--help", "--vary="])
  })

  it("is what bash offers, with the words that bash makes of a line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-flags-"))
    const answers = Object.fromEntries(
      await Promise.all(
        [["p"], ["run", "--mode="], ["run", "--mode=s"], ["run", "--m"], ["run", "--name=sce"]].map(
          async (line) => [line.join(" "), completionLines(await complete(root, line)).join("\n")] as const
        )
      )
    )
    const cases = Object.entries(answers).map(([line, answer]) => `"${line}") printf '%s\\n' '${answer}' ;;`)
    writeFileSync(join(folder, "tool"), `#!/bin/bash\nshift\ncase "$*" in\n${cases.join("\n")}\nesac\n`)
    chmodSync(join(folder, "tool"), 0o755)
    writeFileSync(join(folder, "script"), completionScript("bash", "tool"))
    writeFileSync(join(folder, "scenario.yaml"), "")
    // `tool run --mode=s` is `tool`, `run`, `--mode`, `=`, `s` to bash.
    const asked = (line: string) =>
      `COMP_LINE='tool ${line}' COMP_POINT=\${#COMP_LINE}; _tool 2>/dev/null; printf '%s|' "\${COMPREPLY[@]}"; echo`
    const script = `source ./script; PATH="$PWD:$PATH"; ${Object.keys(answers).map(asked).join("; ")}; complete -p tool`
    const { stderr, stdout } = spawnSync("bash", ["--norc", "-c", script], { cwd: folder, encoding: "utf8" })
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(stdout.trim().split("\n"), [
      "plan|",
      "fast|slow|",
      "slow|",
      "--mode=|",
      "scenario.yaml|",
      "complete -F _tool tool"
    ])
  })
})
