import { forbidden, groupResourceOf, type Status } from "@rollcall/api"
import type { AdmissionAttributes } from "./Admission.ts"

/** Returns the refusal of an admission plugin. Upstream: apiserver/pkg/admission/errors.go, NewForbidden. */
export const forbiddenBy = ({ name, object, resource }: AdmissionAttributes, why: string): Status =>
  forbidden(groupResourceOf(resource), name || object?.metadata.name || object?.metadata.generateName || "Unknown", why)
