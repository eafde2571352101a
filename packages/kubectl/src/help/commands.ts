/** The description and the usage of each verb. */
export interface CommandHelp {
  readonly about: string
  readonly usage: string
  readonly example: string
}

export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  get: {
    about: "Print objects as a table, or in another format with -o.",
    usage: "get TYPE[,TYPE…] [NAME…] | TYPE/NAME… | -f FILE",
    example: "get pods -A -o wide"
  },
  describe: {
    about: "Show the details of objects, with their events.",
    usage: "describe TYPE [NAME…] | TYPE/NAME… | -f FILE",
    example: "describe node n1"
  },
  cordon: {
    about: "Mark nodes as unschedulable for new pods.",
    usage: "cordon NODE… | -l SELECTOR",
    example: "cordon n1"
  },
  uncordon: {
    about: "Mark nodes as schedulable again.",
    usage: "uncordon NODE… | -l SELECTOR",
    example: "uncordon n1"
  },
  drain: {
    about:
      "Cordon nodes, then drain them one after another: evict their pods as budgets allow, and wait until they are deleted.\nTo see in advance what a drain would do and what would block it, use: rollcall plan drain.",
    usage: "drain NODE… | -l SELECTOR",
    example: "drain n1 --ignore-daemonsets --delete-emptydir-data --timeout=10m"
  },
  taint: {
    about: "Add, change or remove taints of nodes. A minus after a key removes it.",
    usage: "taint node NODE… KEY[=VALUE]:EFFECT… KEY[:EFFECT]-…",
    example: "taint node n1 gpu=yes:NoSchedule old-"
  },
  label: {
    about: "Add, change or remove labels. A minus after a key removes it.",
    usage: "label TYPE NAME… KEY=VALUE… KEY-…",
    example: "label node n1 disk=ssd"
  },
  annotate: {
    about: "Add, change or remove annotations. A minus after a key removes it.",
    usage: "annotate TYPE NAME… KEY=VALUE… KEY-…",
    example: "annotate pod web note='under watch'"
  },
  apply: {
    about: "Apply manifests: create their objects, or patch existing ones.",
    usage: "apply -f FILE",
    example: "apply -f web.yaml"
  },
  delete: {
    about: "Delete objects, and wait until they are deleted.",
    usage: "delete TYPE NAME… | TYPE/NAME… | TYPE --all | -f FILE",
    example: "delete pod web --grace-period=5"
  },
  scale: {
    about: "Set the number of replicas.",
    usage: "scale TYPE NAME… --replicas=N | -f FILE --replicas=N",
    example: "scale deployment web --replicas=3"
  }
}
