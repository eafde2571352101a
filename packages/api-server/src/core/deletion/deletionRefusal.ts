import { conflict, type DeleteOptions, invalid, type KubeObject, type Resource, type Status } from "@rollcall/api"
import { validateDeleteOptions } from "@rollcall/api/validation"

/** Why a delete's options are wrong, whatever they are about. */
export const deleteOptionsRefusal = (options: DeleteOptions): Status | undefined => {
  const errors = validateDeleteOptions(options)
  return errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors)
}

/**
 * Why the object is not the one that the delete means. These errors name the kind, not the resource.
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go (BeforeDelete).
 */
export const preconditionRefusal = (
  { group, kind }: Pick<Resource, "group" | "kind">,
  object: KubeObject,
  options: DeleteOptions
): Status | undefined => {
  const { resourceVersion, uid } = options.preconditions ?? {}
  const { metadata } = object
  const refuse = (why: string) => conflict({ group, resource: kind }, metadata.name ?? "", why)
  if (uid !== undefined && uid !== metadata.uid) {
    return refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    return refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    )
  }
  return undefined
}
