import { layerMemory } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiServer, Authorizers } from "../../src/core/index.ts"
import { type AuthorizationMode, securityPlan } from "../../src/security/index.ts"
import { authorizerContract } from "../../src/testing/index.ts"

/** The authorizer of a server with these modes. */
const layerWithModes = (...modes: ReadonlyArray<AuthorizationMode>) =>
  Layer.effect(
    Authorizers,
    Effect.map(ApiServer, ({ security }) => (security === undefined ? [] : [security.authorizer]))
  ).pipe(Layer.provide(ApiServer.layer({ security: securityPlan({ modes }) })), Layer.provide(layerMemory()))

authorizerContract("RBAC", layerWithModes("RBAC"))
authorizerContract("Node and RBAC", layerWithModes("Node", "RBAC"))
authorizerContract("AlwaysAllow", layerWithModes("AlwaysAllow"))
