/** The description of each flag; some verbs override it below. */
const general: Readonly<Record<string, string>> = {
  all: "all objects of the type",
  "all-namespaces": "in all namespaces",
  cascade: "how to delete dependents: background, foreground or orphan (default background)",
  "chunk-size": "page size of lists; 0: no paging (default 500)",
  "current-replicas": "only if the current number of replicas is this",
  "delete-emptydir-data": "also evict pods with emptyDir volumes, whose data is lost",
  "disable-eviction": "delete pods instead of evicting them, ignoring budgets",
  "dry-run": "client: only print what would be done; server: send the request without storing it",
  "field-manager": "the name of the field manager",
  "field-selector": "only objects with these fields, such as status.phase=Running",
  filename: "files or folders with manifests; -: standard input",
  force: "continue despite the danger",
  "force-conflicts": "take over fields from other managers (with --server-side)",
  "grace-period": "grace period in seconds; negative: the pod's own (default -1)",
  "ignore-daemonsets": "ignore pods of DaemonSets",
  "ignore-not-found": "do not fail if an object does not exist",
  interactive: "ask before deleting",
  "label-columns": "labels to show as columns",
  list: "list them instead",
  local: "do not contact the server: print the changed manifests",
  namespace: "the namespace (default: the kubeconfig's)",
  "no-headers": "no header line",
  now: "a grace period of 1 second",
  output: "name, json, yaml, jsonpath=… and others instead of a line",
  overwrite: "replace existing values",
  "pod-selector": "only pods with these labels",
  raw: "a URL path to request from the server",
  recursive: "read folders recursively",
  replicas: "the number of replicas",
  "request-timeout": "the timeout of one request",
  "resource-version": "only if the object has this resourceVersion",
  selector: "only objects with these labels, such as disk=ssd,zone!=b",
  "server-side": "server-side apply",
  "show-events": "show the events of each object (default true)",
  "show-kind": "show the type before each name",
  "show-labels": "show all labels in a column",
  "show-managed-fields": "show metadata.managedFields",
  "skip-wait-for-delete-timeout": "do not wait for pods that have been terminating for longer than this, in seconds",
  "sort-by": "a JSONPath to sort by, such as .metadata.name",
  subresource: "the object's status or scale",
  timeout: "how long to wait, such as 90s or 5m; 0: no limit",
  v: "log level; has no effect here",
  validate: "how to treat unknown fields: strict, warn or ignore",
  wait: "wait until it is done",
  watch: "watch for changes",
  "watch-only": "watch for changes, without the current objects"
}

const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  drain: {
    force: "also delete pods without a controller",
    selector: "the nodes with these labels, instead of names",
    timeout: "how long to wait for each node, such as 90s or 5m; 0: no limit"
  },
  delete: { force: "delete the object at once, without waiting for its node (with --grace-period=0)" },
  get: { output: "wide, name, json, yaml, jsonpath=…, custom-columns=… instead of a table" }
}

export const aboutFlag = (verb: string, flag: string): string => special[verb]?.[flag] ?? general[flag] ?? ""
