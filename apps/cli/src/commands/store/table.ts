import { type Command, flag } from "@rollcall/flags"

const flags = {
  "data-dir": flag.text("", "the folder of the cluster"),
  "etcd-servers": flag.texts("the URLs of the members of etcd"),
  "etcd-prefix": flag.text("/registry", "what the keys in etcd begin with"),
  "etcd-cafile": flag.text("", "a file with the certificate authorities of etcd"),
  "etcd-certfile": flag.text("", "a file with the certificate by which etcd knows this program"),
  "etcd-keyfile": flag.text("", "a file with the key of --etcd-certfile"),
  force: flag.boolean(false, "go on although API servers use the store in etcd")
} as const

const tableOf = (about: string, example: string) =>
  ({
    about: `${about} Stop the cluster's servers before. Exit: 0 done, 1 failed or different, 2 wrong input.`,
    operands: { usage: "FILE", min: 1, max: 1 },
    examples: [example],
    flags
  }) satisfies Command

/** The command lines of `rollcall store export`, `import` and `verify`. */
export const storeTables = {
  export: tableOf(
    "Write all objects of the store in a --data-dir or in etcd to a new file, one a line.",
    "store export cluster.ndjson --data-dir old"
  ),
  import: tableOf(
    "Write the objects of a file into an empty store, once the whole file is checked.",
    "store import cluster.ndjson --etcd-servers http://127.0.0.1:2379"
  ),
  verify: tableOf(
    "Compare a store with a file, object by object, and name the first that differ.",
    "store verify cluster.ndjson --etcd-servers http://127.0.0.1:2379"
  )
}
