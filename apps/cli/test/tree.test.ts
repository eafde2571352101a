import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Command, type CommandNode, commandHelp, type Flag } from "@rollcall/flags"
import { assert, describe, it } from "vitest"
import { root } from "../src/tree.ts"
import { makeFolder, run } from "./cli.ts"

interface Leaf {
  readonly words: ReadonlyArray<string>
  readonly heading: string | undefined
  readonly table: Command
}

const leavesOf = async (
  { commands = [], heading, load }: CommandNode<unknown>,
  words: ReadonlyArray<string>
): Promise<ReadonlyArray<Leaf>> => {
  const inner = await Promise.all(commands.map((node) => leavesOf(node, [...words, node.name])))
  return [...(load === undefined ? [] : [{ words, heading, table: await load() }]), ...inner.flat()]
}

const groupsOf = (
  { commands = [] }: CommandNode<unknown>,
  words: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<string>> =>
  commands.length === 0 ? [] : [words, ...commands.flatMap((node) => groupsOf(node, [...words, node.name]))]

const leaves = await leavesOf(root, [])
const flagsOf = ({ table }: Leaf): ReadonlyArray<readonly [string, Flag<unknown>]> =>
  Object.entries(table.flags).filter(([, { hidden, inert }]) => !hidden && !inert)

describe("every command", { timeout: 60_000 }, () => {
  it("is looked at", () => assert.isAtLeast(leaves.length, 27))

  for (const leaf of leaves) {
    const { heading, table, words } = leaf
    const typed = `rollcall ${words.join(" ")}`
    const isKubectl = heading?.includes("kubectl") === true

    it(`has help that a command line of it prints: ${typed}`, async () => {
      const help = commandHelp(table, typed)
      for (const args of [
        [...words, "--help"],
        ["help", ...words]
      ]) {
        assert.deepStrictEqual(await run(...args), { code: 0, stdout: help, stderr: "" })
      }
      assert.match(help, new RegExp(`^Usage:\n  ${typed}( .*)? \\[flags\\]$`, "m"))
      for (const [name, { help: about }] of flagsOf(leaf)) {
        assert.match(help, new RegExp(`^ {2}( {4}|-., )--${name}\\b.* {3}\\S`, "m"))
        assert.isAbove(about.length, 0, name)
      }
      for (const example of table.examples ?? []) assert.isTrue(example.startsWith(words.join(" ")), example)
    })

    // The verbs refuse in kubectl's exact words, on the process's own stderr: the tests of @rollcall/kubectl hold them.
    if (isKubectl) continue

    it(`refuses a flag that there is not, and names the nearest: ${typed}`, async () => {
      const [name = "help"] = flagsOf(leaf)
        .map(([flagName]) => flagName)
        .filter((flagName) => flagName.length > 4)
      const { code, stderr, stdout } = await run(...words, `--${name}z`)
      assert.strictEqual(stdout, "")
      assert.strictEqual(
        stderr,
        `rollcall: command line: unknown flag: --${name}z; did you mean "--${name}"?\nSee '${typed} --help' for usage.\n`
      )
      assert.strictEqual(code, 2)
    })

    it(`refuses texts that are no values, in pflag's words: ${typed}`, async () => {
      for (const [name, { placeholder }] of flagsOf(leaf)) {
        if (!["int", "int32", "float", "duration"].includes(placeholder ?? "")) continue
        const { code, stderr } = await run(...words, `--${name}=many`)
        assert.match(stderr, new RegExp(`invalid argument "many" for "(-., )?--${name}" flag: (strconv|time)`))
        assert.strictEqual(code, 2)
        return
      }
    })
  }

  for (const words of groupsOf(root, []).filter((group) => group[0] !== "help")) {
    const typed = ["rollcall", ...words].join(" ")
    it(`is named where a word is none: ${typed}`, async () => {
      const refused = await run(...words, "nothing-such")
      assert.strictEqual(refused.code, 2)
      assert.include(refused.stderr, `rollcall: command line: unknown command "nothing-such" for "${typed}"`)
      const alone = await run(...words)
      assert.deepStrictEqual([alone.code, alone.stdout], [2, ""])
      assert.include(alone.stderr, `Usage:\n  ${typed} [command]`)
      assert.strictEqual((await run(...words, "-h")).stdout, alone.stderr)
    })
  }
})

describe("rollcall", { timeout: 60_000 }, () => {
  it("tells its version", async () => {
    assert.match((await run("--version")).stdout, /^rollcall v\d/)
    assert.match((await run("-v")).stdout, /^rollcall v\d/)
  })

  it("completes commands, flags and values", async () => {
    const words = async (...line: ReadonlyArray<string>) =>
      (await run("__complete", ...line)).stdout.split("\n").map((text) => text.split("\t")[0])
    assert.includeMembers(await words("plan", ""), ["drain", "evictions", "shutdown", "swap"])
    assert.deepStrictEqual(await words("simulate", "-o", "h"), ["html", ""])
    assert.deepStrictEqual(await words("up", "--merge"), ["--merge-kubeconfig", ""])
    assert.deepStrictEqual(await words("drain", "--ignore-d"), ["--ignore-daemonsets", ""])
    assert.includeMembers(await words("fault", "cr"), ["crash"])
    assert.deepStrictEqual(await words("completion", "z"), ["zsh", ""])
  })

  it("prints scripts for shells, and refuses others", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await run("completion", shell)
      assert.strictEqual(code, 0)
      assert.include(stdout, "rollcall")
      assert.strictEqual((await run("--completions", shell)).stdout, stdout)
    }
    const { code, stderr } = await run("completion", "bsh")
    assert.strictEqual(code, 2)
    assert.include(stderr, 'unsupported shell type "bsh"; did you mean "bash"?')
  })

  it("is completed by a real bash", async () => {
    const at = makeFolder({ script: (await run("completion", "bash")).stdout })
    const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
    writeFileSync(at("rollcall"), `#!/bin/bash\nexec "${process.execPath}" "${main}" "$@"\n`)
    chmodSync(at("rollcall"), 0o755)
    const asked = (line: string) =>
      `COMP_LINE='rollcall ${line}' COMP_POINT=\${#COMP_LINE}; _rollcall 2>/dev/null; printf '%s|' "\${COMPREPLY[@]}"; echo`
    const lines = ["compare re", "simulate --output=h", "kubelet --host "]
    const commands = `source ./script; PATH="$PWD:$PATH"; ${lines.map(asked).join("; ")}`
    const { stderr, stdout } = spawnSync("bash", ["--norc", "-c", commands], { cwd: at("."), encoding: "utf8" })
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(stdout.trim().split("\n"), ["releases|", "html|", "modelled|linux|"])
  })
})
