import { settingsContract } from "@rollcall/input/testing"
import { leaderElectionFields } from "../src/programs/electionConfig.ts"

settingsContract("leaderElectionFields", leaderElectionFields("generic.leaderElection"))
