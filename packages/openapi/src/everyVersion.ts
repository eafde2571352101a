import type { MessageType } from "@rollcall/api/wire"
import type { Gvk } from "./OpenApiKind.ts"

/**
 * The versions that Kubernetes' scheme knows, served or not. The kinds in `inEvery` are registered in each of them.
 * Upstream: apimachinery/pkg/apis/meta/v1/register.go, AddToGroupVersion.
 */
const versions = `
 v1
admission.k8s.io v1 v1beta1
admissionregistration.k8s.io v1 v1alpha1 v1beta1
apiextensions.k8s.io v1 v1beta1
apiregistration.k8s.io v1 v1beta1
apps v1 v1beta1 v1beta2
authentication.k8s.io v1 v1alpha1 v1beta1
authorization.k8s.io v1 v1beta1
autoscaling v1 v2
batch v1 v1beta1
certificates.k8s.io v1 v1alpha1 v1beta1
coordination.k8s.io v1 v1alpha2 v1beta1
discovery.k8s.io v1 v1beta1
events.k8s.io v1 v1beta1
extensions v1beta1
flowcontrol.apiserver.k8s.io v1 v1beta1 v1beta2 v1beta3
imagepolicy.k8s.io v1alpha1
internal.apiserver.k8s.io v1alpha1
networking.k8s.io v1 v1beta1
node.k8s.io v1 v1alpha1 v1beta1
policy v1 v1beta1
rbac.authorization.k8s.io v1 v1alpha1 v1beta1
resource.k8s.io v1 v1alpha3 v1beta1 v1beta2
scheduling.k8s.io v1 v1alpha2 v1beta1
storage.k8s.io v1 v1alpha1 v1beta1
storagemigration.k8s.io v1beta1
`
  .slice(1, -1)
  .split("\n")
  .flatMap((line) => {
    const [group = "", ...versions] = line.split(" ")
    return versions.map((version) => ({ group, version }))
  })

const inEvery: ReadonlySet<string> = new Set(["DeleteOptions", "WatchEvent"])

/** Returns the kinds that a message is: in a version 3 document, those of its own group version and the core group. */
export const kindsOf = (
  { gvk, name }: Pick<MessageType, "gvk" | "name">,
  own: Pick<Gvk, "group" | "version"> | undefined
): ReadonlyArray<Gvk> | undefined => {
  if (!inEvery.has(name)) return gvk && [{ group: gvk.group, kind: gvk.kind, version: gvk.version }]
  const known = versions.filter(
    ({ group, version }) => own === undefined || group === "" || (group === own.group && version === own.version)
  )
  return known.map(({ group, version }) => ({ group, kind: name, version }))
}
