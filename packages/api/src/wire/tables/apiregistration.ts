import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/{types.go,generated.proto}. */
export const apiregistration: Table = {
  package: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
  group: "apiregistration.k8s.io",
  messages: `
APIService kind hasList # A version of a group of the API, and the server that serves it.
  metadata 1 meta.ObjectMeta byValue
  spec 2 APIServiceSpec byValue
  status 3 APIServiceStatus byValue
APIServiceSpec
  service 1 ServiceReference # The Service of the server; absent if this server serves the version itself.
  group 2 string
  version 3 string
  insecureSkipTLSVerify 4 bool
  caBundle 5 bytes listType=atomic
  groupPriorityMinimum 7 int32 required
  versionPriority 8 int32 required
ServiceReference # A Service.
  namespace 1 string
  name 2 string
  port 3 int32 pointer
APIServiceStatus
  conditions 1 []APIServiceCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
APIServiceCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
`
}
