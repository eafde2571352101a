import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Member } from "./floors.ts"

/** The most lines of a source file. A longer one usually has more than one idea. */
export const MAX_LINES = 300

/** The files that may be longer, each with the reason. Tests and `index.ts` files are not measured. */
export const longFiles: Readonly<Record<string, string>> = {
  "packages/api/src/wire/decode/Reader.ts":
    "one reader: a short method for each form of a value, which call each other",
  "packages/cel/src/evaluate.ts": "one visitor: a short method for each kind of expression, which call each other",
  "packages/drain/src/plan/PlanCluster.ts":
    "one state of a planned cluster, and the short steps of its controllers on it",
  "packages/kubelet/src/pod/PodWorkers.ts":
    "the pods of one node: a short method for each decision and callback, which call each other",
  "packages/kubelet/src/runtime/command/ShellRun.ts":
    "one shell: a short method for each kind of command and word, which call each other",
  "packages/linux/src/generated/deviceplugin_pb.ts": "compiled from proto/deviceplugin.proto",
  "packages/linux/src/generated/podresources_pb.ts": "compiled from proto/podresources.proto",
  "packages/store-etcd/src/generated/etcd_pb.ts": "compiled from proto/etcd.proto",
  "tooling/bench/src/cost/bodies.ts": "a table of request bodies"
}

/** Returns one line for each source file that is too long, and for each file of `allowed` that is not. */
export const lengthViolations = (
  root: string,
  members: ReadonlyArray<Member>,
  allowed: Readonly<Record<string, string>> = longFiles
): ReadonlyArray<string> => {
  const lengths = new Map<string, number>()
  for (const { folder } of members) {
    const sources = join(folder, "src")
    if (!existsSync(join(root, sources))) continue
    for (const name of readdirSync(join(root, sources), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || name.startsWith("testing/") || basename(name) === "index.ts") continue
      const lines = readFileSync(join(root, sources, name), "utf8").split("\n").length - 1
      if (lines > MAX_LINES) lengths.set(join(sources, name), lines)
    }
  }
  return [
    ...[...lengths]
      .filter(([file]) => allowed[file] === undefined)
      .map(
        ([file, lines]) =>
          `${file}: ${lines} lines; split it, or name it with a reason in tooling/house/src/fileLengths.ts`
      ),
    ...Object.keys(allowed)
      .filter((file) => !lengths.has(file))
      .map((file) => `${file}: is not longer than ${MAX_LINES} lines; take it out of tooling/house/src/fileLengths.ts`)
  ]
}
