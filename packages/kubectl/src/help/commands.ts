/** What a verb does, and how it is called. */
export interface CommandHelp {
  readonly about: string
  readonly usage: string
  readonly example: string
}

export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  get: {
    about: "Print objects: a table, or whole with -o.",
    usage: "get TYPE[,TYPE…] [NAME…] | TYPE/NAME… | -f FILE",
    example: "get pods -A -o wide"
  },
  describe: {
    about: "Tell all about objects, with what has happened to them.",
    usage: "describe TYPE [NAME…] | TYPE/NAME… | -f FILE",
    example: "describe node n1"
  },
  cordon: {
    about: "Mark nodes as unschedulable: no new pod comes to them.",
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
      "Cordon nodes, then empty them one after another: evict their pods as budgets allow, and wait until they are gone.\nWhat it would do, and what would block it, says: rollcall plan drain.",
    usage: "drain NODE… | -l SELECTOR",
    example: "drain n1 --ignore-daemonsets --delete-emptydir-data --timeout=10m"
  },
  taint: {
    about: "Add, change or remove taints of nodes. A minus behind a key removes it.",
    usage: "taint node NODE… KEY[=VALUE]:EFFECT… KEY[:EFFECT]-…",
    example: "taint node n1 gpu=yes:NoSchedule old-"
  },
  label: {
    about: "Add, change or remove labels. A minus behind a key removes it.",
    usage: "label TYPE NAME… KEY=VALUE… KEY-…",
    example: "label node n1 disk=ssd"
  },
  annotate: {
    about: "Add, change or remove annotations. A minus behind a key removes it.",
    usage: "annotate TYPE NAME… KEY=VALUE… KEY-…",
    example: "annotate pod web note='under watch'"
  },
  apply: {
    about: "Make objects what files say: create them, or change what differs.",
    usage: "apply -f FILE",
    example: "apply -f web.yaml"
  },
  delete: {
    about: "Delete objects, and wait until they are gone.",
    usage: "delete TYPE NAME… | TYPE/NAME… | TYPE --all | -f FILE",
    example: "delete pod web --grace-period=5"
  },
  scale: {
    about: "Set how many replicas are wanted.",
    usage: "scale TYPE NAME… --replicas=N | -f FILE --replicas=N",
    example: "scale deployment web --replicas=3"
  }
}
