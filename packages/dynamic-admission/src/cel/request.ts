import type { AdmissionKind } from "../ports.ts"
import { kindIn, type Subject } from "../Subject.ts"

/** Returns `request` of expressions. Upstream: plugin/cel/condition.go, CreateAdmissionRequest. */
export const requestValue = (subject: Subject, matched: AdmissionKind) => {
  const { dryRun, kind, name, namespace, operation, options, resource, subresource, userInfo } = subject
  const { group, plural, version } = matched.resource
  const { extra, groups, uid, user } = userInfo
  return {
    uid: "",
    kind: kindIn(subject, matched),
    resource: { group, version, resource: plural },
    ...(subresource === "" ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: kind,
    requestResource: resource,
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user === "" ? {} : { username: user }),
      ...(uid === undefined || uid === "" ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra })
    },
    object: null,
    oldObject: null,
    dryRun,
    options: Object.keys(options).length === 0 ? null : options
  }
}
