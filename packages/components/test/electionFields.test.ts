import { settingsContract } from "@rollcall/flags/testing"
import { leaderElectionFields } from "../src/programs/electionConfig.ts"

settingsContract("leaderElectionFields", leaderElectionFields("generic.leaderElection"))
