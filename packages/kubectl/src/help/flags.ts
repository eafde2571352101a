/** What a flag does; the same in each verb that has it, but for those below. */
const general: Readonly<Record<string, string>> = {
  all: "all objects of the type",
  "all-namespaces": "of all namespaces",
  cascade: "what becomes of what the object owns: background, foreground or orphan (default background)",
  "chunk-size": "objects a page of long lists; 0: all at once (default 500)",
  "current-replicas": "only if so many are wanted now",
  "delete-emptydir-data": "also pods with emptyDir volumes, whose data goes",
  "disable-eviction": "delete, past all budgets",
  "dry-run": "client: only say what would be done; server: ask the server, and change nothing",
  "field-manager": "the name under which fields are owned",
  "field-selector": "only objects with these fields, as status.phase=Running",
  filename: "files, or folders of files, that hold the objects; -: standard input",
  force: "go on where it is dangerous",
  "force-conflicts": "take fields over from other managers (with --server-side)",
  "grace-period": "seconds to end in, instead of the pod's own; negative: its own (default -1)",
  "ignore-daemonsets": "leave the pods of DaemonSets where they are",
  "ignore-not-found": "what is not there is no error",
  interactive: "ask before deleting",
  "label-columns": "labels that get a column each",
  list: "print them instead",
  local: "change nothing on the server: print what files would become",
  namespace: "the namespace (default: the kubeconfig's)",
  "no-headers": "no header line",
  now: "a grace period of 1 second",
  output: "name, json, yaml, jsonpath=… and others instead of a line",
  overwrite: "change what is there already",
  "pod-selector": "only pods with these labels",
  raw: "a path of the API, as it is",
  recursive: "folders with all that is in them",
  replicas: "how many are wanted",
  "request-timeout": "how long to wait for one answer",
  "resource-version": "only if the object has this version",
  selector: "those with these labels, as disk=ssd,zone!=b",
  "server-side": "let the server merge",
  "show-events": "with the events of each (default true)",
  "show-kind": "with the type before each name",
  "show-labels": "with a column of all labels",
  "show-managed-fields": "with metadata.managedFields",
  "skip-wait-for-delete-timeout": "do not wait for pods that have been terminating for more than so many seconds",
  "sort-by": "a JSONPath to sort by, as .metadata.name",
  subresource: "the object's status or scale",
  timeout: "how long to wait, as 90s or 5m; 0: without end",
  v: "how much to log; has no effect here",
  validate: "strict, warn or ignore: what becomes of unknown fields",
  wait: "wait until it is done",
  watch: "go on with what changes",
  "watch-only": "only what changes from now on"
}

const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  drain: {
    force: "also pods that nobody creates anew",
    selector: "the nodes with these labels, instead of names",
    timeout: "how long to wait at each node, as 90s or 5m; 0: without end"
  },
  delete: { force: "do not wait for the node: the object goes at once (with --grace-period=0)" },
  get: { output: "wide, name, json, yaml, jsonpath=…, custom-columns=… instead of a table" }
}

export const aboutFlag = (verb: string, flag: string): string => special[verb]?.[flag] ?? general[flag] ?? ""
