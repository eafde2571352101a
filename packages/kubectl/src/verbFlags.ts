import { flag, optional } from "@rollcall/flags"

const text = (help: string, short?: string) => optional(flag.text("", help, short === undefined ? {} : { short }))
const texts = (help: string, short?: string) => flag.texts(help, short === undefined ? {} : { short })
const int = (help: string) => optional(flag.integer(0, help))
const duration = (help: string) => optional(flag.duration(0, help))
const bool = (help: string, short?: string) => optional(flag.boolean(false, help, short === undefined ? {} : { short }))

/** Flags of every verb: they select the cluster, the user and the namespace. Upstream: k8s.io/cli-runtime/pkg/genericclioptions/config_flags.go. */
export const globalFlags = {
  as: text("the user to impersonate"),
  "as-group": flag.repeated("the groups to impersonate"),
  context: text("the context of the kubeconfig (default: the current context)"),
  kubeconfig: text("the path of the kubeconfig (default: KUBECONFIG, then ~/.kube/config)"),
  namespace: text("the namespace (default: the kubeconfig's)", "n"),
  "request-timeout": text("the timeout of one request"),
  server: text("the address of the API server", "s"),
  v: optional(flag.integer(0, "the log level; has no effect", { short: "v", placeholder: "Level" }))
} as const

/** Flags of kubectl's verbs. A flag is the same in every verb that has it; some verbs describe it in their own words. */
export const verbFlags = {
  all: bool("all objects of the type"),
  "all-namespaces": bool("objects of all namespaces", "A"),
  cascade: optional(
    flag.text("", "how to delete dependents: background, foreground or orphan (default background)", {
      bare: "background"
    })
  ),
  "chunk-size": int("page size of lists; 0: no paging (default 500)"),
  "current-replicas": int("only if the current number of replicas is this"),
  "delete-emptydir-data": bool("also evict pods with emptyDir volumes, whose data is lost"),
  "disable-eviction": bool("delete pods instead of evicting them, ignoring budgets"),
  "dry-run": optional(
    flag.text("", "client: only print what would be done; server: send the request without storing it", {
      bare: "unchanged"
    })
  ),
  "field-manager": text("the name of the field manager"),
  "field-selector": text("only objects with these fields, such as status.phase=Running"),
  filename: texts("files or folders with manifests; -: standard input", "f"),
  force: bool("continue even if the operation is dangerous"),
  "force-conflicts": bool("take over fields from other managers (with --server-side)"),
  "grace-period": int("grace period in seconds; negative: the pod's own (default -1)"),
  "ignore-daemonsets": bool("ignore pods of DaemonSets"),
  "ignore-not-found": bool("do not fail if an object does not exist"),
  interactive: bool("ask before deleting", "i"),
  "label-columns": texts("labels to show as columns", "L"),
  list: bool("list the labels or annotations instead of changing them"),
  local: bool("do not contact the server: print the changed manifests"),
  "no-headers": bool("no header line"),
  now: bool("a grace period of 1 second"),
  output: text("name, json, yaml, jsonpath=… and others instead of a line", "o"),
  overwrite: bool("replace existing values"),
  "pod-selector": text("evict only the pods with these labels"),
  raw: text("a URL path to request from the server"),
  recursive: bool("read folders recursively", "R"),
  replicas: int("the number of replicas"),
  "resource-version": text("only if the object has this resourceVersion"),
  selector: text("only objects with these labels, such as disk=ssd,zone!=b", "l"),
  "server-side": bool("server-side apply"),
  "show-events": bool("show the events of each object (default true)"),
  "show-kind": bool("show the type before each name"),
  "show-labels": bool("show all labels in a column"),
  "show-managed-fields": bool("show metadata.managedFields"),
  "skip-wait-for-delete-timeout": int(
    "do not wait for pods that have been terminating for longer than this, in seconds"
  ),
  "sort-by": text("a JSONPath to sort by, such as .metadata.name"),
  subresource: text("the object's status or scale"),
  timeout: duration("how long to wait, such as 90s or 5m; 0: no limit"),
  validate: optional(flag.text("", "how to treat unknown fields: strict, warn or ignore", { bare: "strict" })),
  wait: bool("wait until the operation is finished"),
  watch: bool("watch for changes", "w"),
  "watch-only": bool("watch for changes, without the current objects")
} as const
