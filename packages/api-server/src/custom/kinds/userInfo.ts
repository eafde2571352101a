import type { UserInfo } from "../../core/admission/Admission.ts"

/** The server itself. Upstream: apiserver/pkg/authentication/user, APIServerUser. */
export const userInfo: UserInfo = { user: "system:apiserver", groups: ["system:masters", "system:authenticated"] }
