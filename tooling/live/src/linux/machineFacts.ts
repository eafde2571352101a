import type { Node } from "@rollcall/api"
import { value } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { run } from "../process/Program.ts"

/** A fact that a Node reports of its machine, with the command that shows it on the machine. */
export interface Fact {
  readonly about: string
  /** A shell command: its first output line is the machine's value; if it fails, the fact is not available here. */
  readonly command: string
  readonly ofNode: (node: Node) => string
  /** Compares the two values. If it is absent, they must be equal. */
  readonly same?: (node: string, machine: string) => boolean
}

const amount = (name: string) => (node: Node) => String(value(node.status?.capacity?.[name] ?? "0"))
const address = (type: string) => (node: Node) =>
  node.status?.addresses?.find((each) => each.type === type)?.address ?? ""
type Info = NonNullable<NonNullable<Node["status"]>["nodeInfo"]>
const info = (field: Exclude<keyof Info, "swap">) => (node: Node) => node.status?.nodeInfo?.[field] ?? ""

const KIB = "awk '/^NAME:/ { printf \"%.0f\\n\", $2 * 1024 }' /proc/meminfo"

/** Returns the facts of a Node that can be checked on the machine; `rootDir` is the kubelet's. */
export const facts = (rootDir: string): ReadonlyArray<Fact> => [
  { about: "CPUs", command: "nproc", ofNode: amount("cpu") },
  { about: "memory, bytes", command: KIB.replace("NAME", "MemTotal"), ofNode: amount("memory") },
  {
    about: "ephemeral storage, bytes",
    command: `df --block-size=1 --output=size '${rootDir}' | tail -n 1`,
    ofNode: amount("ephemeral-storage")
  },
  {
    about: "swap, bytes",
    command: KIB.replace("NAME", "SwapTotal"),
    ofNode: (node) => String(node.status?.nodeInfo?.swap?.capacity ?? 0)
  },
  { about: "kernel", command: "uname -r", ofNode: info("kernelVersion") },
  { about: "operating system", command: "uname -s | tr A-Z a-z", ofNode: info("operatingSystem") },
  { about: "OS image", command: '. /etc/os-release && echo "$PRETTY_NAME"', ofNode: info("osImage") },
  {
    about: "architecture",
    command: "uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/'",
    ofNode: info("architecture")
  },
  { about: "machine id", command: "cat /etc/machine-id", ofNode: info("machineID") },
  { about: "boot id", command: "cat /proc/sys/kernel/random/boot_id", ofNode: info("bootID") },
  { about: "host name", command: "hostname | tr A-Z a-z", ofNode: address("Hostname") },
  {
    about: "address",
    command: "ip -oneline address show scope global | awk '{ sub(\"/.*\", \"\", $4); print $4 }' | paste -sd ' '",
    ofNode: address("InternalIP"),
    same: (node, machine) => machine.split(" ").includes(node)
  }
]

/** The result for a fact. `machine` is undefined if the command fails or prints nothing. */
export interface Finding {
  readonly about: string
  readonly command: string
  readonly node: string
  readonly machine: string | undefined
  readonly same: boolean
}

/** Compares all facts of a Node with the machine. */
export const compareNode = (node: Node, rootDir: string): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.forEach(facts(rootDir), ({ about, command, ofNode, same = Object.is }) =>
    Effect.map(run("sh", "-c", command), ({ code, stdout }): Finding => {
      const [first = ""] = stdout.trim().split("\n")
      const machine = code === 0 && first !== "" ? first : undefined
      const nodeValue = ofNode(node)
      return { about, command, node: nodeValue, machine, same: machine === undefined || same(nodeValue, machine) }
    })
  )

const HEADINGS = ["", "Node", "machine", "", "asked by"]

/** Formats the findings as a text table. */
export const tableOfFindings = (findings: ReadonlyArray<Finding>): string => {
  const rows = findings.map(({ about, command, machine, node, same }) => [
    about,
    node === "" ? "-" : node,
    machine ?? "-",
    machine === undefined ? "?" : same ? "=" : "DIFFERS",
    command
  ])
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  return [HEADINGS, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
