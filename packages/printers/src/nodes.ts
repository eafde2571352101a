import { type Node, nodeReady } from "@rollcall/api"
import { ageColumn, column, nameColumn, type Printer, printer, wideColumn } from "./Printer.ts"

const ROLE_PREFIX = "node-role.kubernetes.io/"
const ROLE_LABEL = "kubernetes.io/role"

const statusOf = ({ spec, status }: Node): string => {
  const ready = status?.conditions?.findLast(({ type }) => type === nodeReady)
  const words = [ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"]
  if (spec?.unschedulable === true) words.push("SchedulingDisabled")
  return words.join(",")
}

/** Returns the roles in a node's labels, each once, in order. Upstream: findNodeRoles. */
export const nodeRoles = ({ metadata }: Node): ReadonlyArray<string> => {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) =>
    key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL ? value : ""
  )
  return [...new Set(roles)].filter((role) => role !== "").toSorted()
}

const addressOf = ({ status }: Node, wanted: string): string =>
  status?.addresses?.find(({ type }) => type === wanted)?.address ?? "<none>"

const kernelOf = ({ status }: Node): string => {
  const { architecture, kernelVersion } = status?.nodeInfo ?? {}
  const kernel = kernelVersion || "<unknown>"
  return architecture ? `${kernel} (${architecture})` : kernel
}

/** Upstream: pkg/printers/internalversion/printers.go, printNode. */
export const nodes: Printer = printer<Node>(
  nameColumn,
  column("Status", "string", "Whether the node is ready, and whether it takes new pods.", statusOf),
  column("Roles", "string", "What the node's labels say it is for.", (node) => nodeRoles(node).join(",") || "<none>"),
  ageColumn,
  column("Version", "string", "The kubelet's version.", ({ status }) => status?.nodeInfo?.kubeletVersion ?? ""),
  wideColumn("Internal-IP", "string", "The first address inside of the cluster.", (node) =>
    addressOf(node, "InternalIP")
  ),
  wideColumn("External-IP", "string", "The first address outside of the cluster.", (node) =>
    addressOf(node, "ExternalIP")
  ),
  wideColumn("OS-Image", "string", "The operating system.", ({ status }) => status?.nodeInfo?.osImage || "<unknown>"),
  wideColumn("Kernel-Version", "string", "The kernel, and what machines it is built for.", kernelOf),
  wideColumn(
    "Container-Runtime",
    "string",
    "What runs the containers, and its version.",
    ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>"
  )
)
