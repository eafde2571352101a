import type { Command, Flags } from "@rollcall/flags"
import { globalFlags, verbFlags } from "./verbFlags.ts"

/** The command line of a verb, and its line in a list of verbs. */
export interface Verb extends Command {
  readonly summary: string
}

type Name = keyof typeof verbFlags

interface VerbHelp {
  readonly summary: string
  readonly about: string
  readonly usage: string
  readonly example: string
  readonly flags: ReadonlyArray<Name>
  /** Descriptions of flags that differ from those in other verbs. */
  readonly differs?: Readonly<Partial<Record<Name, string>>>
}

const verb = ({ about, differs = {}, example, flags, summary, usage }: VerbHelp): Verb => {
  const own: Flags = Object.fromEntries(
    flags.map((name) => [name, { ...verbFlags[name], help: differs[name] ?? verbFlags[name].help }])
  )
  return {
    summary,
    about,
    operands: { usage },
    examples: [example],
    flags: { ...own, ...globalFlags },
    global: Object.keys(globalFlags)
  }
}

const labelFlags: ReadonlyArray<Name> = [
  "all",
  "all-namespaces",
  "dry-run",
  "field-manager",
  "field-selector",
  "filename",
  "list",
  "local",
  "output",
  "overwrite",
  "recursive",
  "resource-version",
  "selector"
]

/** The command lines of the supported verbs. Their implementations are loaded when one runs. */
export const verbs: Readonly<Record<string, Verb>> = {
  get: verb({
    summary: "Print objects as kubectl prints them.",
    about: "Print objects as a table, or in another format with -o.",
    usage: "TYPE[,TYPE...] [NAME...] | TYPE/NAME... | -f FILE",
    example: "get pods -A -o wide",
    flags: [
      "all-namespaces",
      "chunk-size",
      "field-selector",
      "filename",
      "ignore-not-found",
      "label-columns",
      "no-headers",
      "output",
      "raw",
      "recursive",
      "selector",
      "show-kind",
      "show-labels",
      "show-managed-fields",
      "sort-by",
      "subresource",
      "watch",
      "watch-only"
    ],
    differs: { output: "wide, name, json, yaml, jsonpath=…, custom-columns=… instead of a table" }
  }),
  describe: verb({
    summary: "Show the details of objects, with their events.",
    about: "Show the details of objects, with their events.",
    usage: "TYPE [NAME...] | TYPE/NAME... | -f FILE",
    example: "describe node n1",
    flags: ["all-namespaces", "chunk-size", "filename", "recursive", "selector", "show-events"]
  }),
  cordon: verb({
    summary: "Mark nodes as unschedulable.",
    about: "Mark nodes as unschedulable for new pods.",
    usage: "NODE... | -l SELECTOR",
    example: "cordon n1",
    flags: ["dry-run", "selector"]
  }),
  uncordon: verb({
    summary: "Mark nodes as schedulable.",
    about: "Mark nodes as schedulable again.",
    usage: "NODE... | -l SELECTOR",
    example: "uncordon n1",
    flags: ["dry-run", "selector"]
  }),
  drain: verb({
    summary: "Evict the pods of nodes, within their disruption budgets.",
    about:
      "Cordon nodes, then drain them one after another: evict their pods as budgets allow, and wait until they are deleted.\nTo see in advance what a drain would do and what would block it, use: rollcall plan drain.",
    usage: "NODE... | -l SELECTOR",
    example: "drain n1 --ignore-daemonsets --delete-emptydir-data --timeout=10m",
    flags: [
      "chunk-size",
      "delete-emptydir-data",
      "disable-eviction",
      "dry-run",
      "force",
      "grace-period",
      "ignore-daemonsets",
      "pod-selector",
      "selector",
      "skip-wait-for-delete-timeout",
      "timeout"
    ],
    differs: {
      force: "also delete pods without a controller",
      selector: "select nodes by labels instead of by name",
      timeout: "how long to wait for each node, such as 90s or 5m; 0: no limit"
    }
  }),
  taint: verb({
    summary: "Change the taints of nodes.",
    about: "Add, change or remove taints of nodes. A minus after a key removes it.",
    usage: "node NODE... KEY[=VALUE]:EFFECT... KEY[:EFFECT]-...",
    example: "taint node n1 gpu=yes:NoSchedule old-",
    flags: ["all", "dry-run", "field-manager", "output", "overwrite", "selector"]
  }),
  label: verb({
    summary: "Change labels.",
    about: "Add, change or remove labels. A minus after a key removes it.",
    usage: "TYPE NAME... KEY=VALUE... KEY-...",
    example: "label node n1 disk=ssd",
    flags: labelFlags
  }),
  annotate: verb({
    summary: "Change annotations.",
    about: "Add, change or remove annotations. A minus after a key removes it.",
    usage: "TYPE NAME... KEY=VALUE... KEY-...",
    example: "annotate pod web note='under watch'",
    flags: labelFlags
  }),
  apply: verb({
    summary: "Create or patch objects from manifests.",
    about: "Apply manifests: create their objects, or patch existing ones.",
    usage: "-f FILE",
    example: "apply -f web.yaml",
    flags: [
      "dry-run",
      "field-manager",
      "filename",
      "force-conflicts",
      "grace-period",
      "output",
      "overwrite",
      "recursive",
      "selector",
      "server-side",
      "show-managed-fields",
      "timeout",
      "validate",
      "wait"
    ]
  }),
  delete: verb({
    summary: "Delete objects.",
    about: "Delete objects, and wait until they are deleted.",
    usage: "TYPE NAME... | TYPE/NAME... | TYPE --all | -f FILE",
    example: "delete pod web --grace-period=5",
    flags: [
      "all",
      "all-namespaces",
      "cascade",
      "dry-run",
      "field-selector",
      "filename",
      "force",
      "grace-period",
      "ignore-not-found",
      "interactive",
      "now",
      "output",
      "raw",
      "recursive",
      "selector",
      "timeout",
      "wait"
    ],
    differs: { force: "delete the object at once, without waiting for its node (with --grace-period=0)" }
  }),
  scale: verb({
    summary: "Set the number of replicas.",
    about: "Set the number of replicas.",
    usage: "TYPE NAME... --replicas=N | -f FILE --replicas=N",
    example: "scale deployment web --replicas=3",
    flags: [
      "all",
      "current-replicas",
      "dry-run",
      "filename",
      "output",
      "recursive",
      "replicas",
      "resource-version",
      "selector",
      "timeout"
    ]
  })
}
