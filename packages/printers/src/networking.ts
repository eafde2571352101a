import { formatLabelSelector, type Ingress, type IngressClass, type NetworkPolicy } from "@rollcall/api"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

const parametersText = ({ spec }: IngressClass): string => {
  if (spec?.parameters === undefined) return "<none>"
  const { apiGroup, kind, name } = spec.parameters
  return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`
}

const isDefault = ({ metadata }: IngressClass): boolean =>
  metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true"

/** Upstream: pkg/printers/internalversion/printers.go, printIngressClass. */
export const ingressClasses: Printer = printer<IngressClass>(
  {
    ...nameColumn,
    cell: (object) => `${object.metadata.name ?? ""}${isDefault(object) ? " (default)" : ""}`
  },
  column(
    "Controller",
    "string",
    "Which controller handles Ingresses of the class.",
    ({ spec }) => spec?.controller ?? ""
  ),
  column("Parameters", "string", "The object with settings for the controller.", parametersText),
  ageColumn
)

const MAX_HOSTS = 3

const hostsText = ({ spec }: Ingress): string => {
  const rules = spec?.rules ?? []
  const hosts = rules.flatMap(({ host }) => host || [])
  if (hosts.length === 0) return "*"
  const shown = hosts.slice(0, MAX_HOSTS).join(",")
  const last = rules.indexOf(rules.filter(({ host }) => host)[MAX_HOSTS - 1] ?? {})
  return last >= 0 && last < rules.length - 1 ? `${shown} + ${rules.length - MAX_HOSTS} more...` : shown
}

/** Returns where a load balancer is reached: each address once, in order. */
const addressText = ({ status }: Ingress): string => {
  const points = status?.loadBalancer?.ingress ?? []
  return [...new Set(points.flatMap(({ hostname, ip }) => ip || hostname || []))].toSorted().join(",")
}

/** Upstream: printIngress. */
export const ingresses: Printer = printer<Ingress>(
  nameColumn,
  column("Class", "string", "The IngressClass that it names.", ({ spec }) => spec?.ingressClassName ?? "<none>"),
  column("Hosts", "string", "The hosts of the requests that it handles.", hostsText),
  column("Address", "string", "Where its load balancer is reached.", addressText),
  column("Ports", "string", "The ports that it opens.", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
  ageColumn
)

/** Upstream: printNetworkPolicy. */
export const networkPolicies: Printer = printer<NetworkPolicy>(
  nameColumn,
  column(
    "Pod-Selector",
    "string",
    "The pods to which it applies.",
    ({ spec }) => formatLabelSelector(spec?.podSelector ?? {}) || "<none>"
  ),
  ageColumn
)
