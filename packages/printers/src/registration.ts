import type { APIService, IPAddress, ServiceCIDR } from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

const serviceOf = ({ spec }: APIService): string => {
  if (spec?.service === undefined) return "Local"
  return `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`
}

const availabilityOf = ({ status }: APIService): string => {
  const condition = status?.conditions?.find(({ type }) => type === "Available")
  if (condition === undefined) return "Unknown"
  const { reason = "" } = condition
  return condition.status === "True" || reason === "" ? condition.status : `${condition.status} (${reason})`
}

/** Upstream: staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go, ConvertToTable. */
export const apiServices: Printer = printer<APIService>(
  nameColumn,
  column("Service", "string", "The Service of the server, or Local.", serviceOf),
  column("Available", "string", "Whether the server answers.", availabilityOf),
  ageColumn
)

const parentOf = ({ spec }: IPAddress): string => {
  if (spec?.parentRef === undefined) return "<none>"
  const { group = "", name = "", namespace = "", resource = "" } = spec.parentRef
  const what = `${resource}${group === "" ? "" : `.${group}`}`.toLowerCase()
  return [what, ...(namespace === "" ? [] : [namespace]), name].join("/")
}

/** Upstream: pkg/printers/internalversion/printers.go, printIPAddress, whose rows have one cell more than columns. */
export const ipAddresses: Printer = {
  columns: printer<IPAddress>(nameColumn, column("ParentRef", "string", "The object that uses the address.", parentOf))
    .columns,
  row: (object, nowMs) => ({
    cells: [object.metadata.name ?? "", parentOf(object as IPAddress), ageOf(object.metadata.creationTimestamp, nowMs)]
  })
}

/** Upstream: printServiceCIDR. */
export const serviceCIDRs: Printer = printer<ServiceCIDR>(
  nameColumn,
  column("CIDRs", "string", "The ranges of addresses.", ({ spec }) => (spec?.cidrs ?? []).join(",")),
  ageColumn
)
