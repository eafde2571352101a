import type { UserInfo } from "../admission/Admission.ts"

/** The server itself. Upstream: apiserver/pkg/authentication/user, APIServerUser. */
export const userInfo: UserInfo = { user: "system:apiserver", groups: ["system:masters", "system:authenticated"] }
