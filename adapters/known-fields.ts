/**
 * Fields by agent and kind of record, as the versions that the adapters were checked with write them. Written by
 * scripts/known-fields.ts from the fixtures; src/engine/verify/census.ts reads it. A kind a line, its fields behind it.
 */
export const KNOWN_FIELDS: Readonly<Record<string, string>> = {
  claude: `
agent-name agentName sessionId type
ai-title aiTitle sessionId type
api-request agentId base cacheControl echoWireToolInputs id keep params querySource requestDigest sessionId shapeHash tail thread timestamp type version
api-request-blob agentId hash message sessionId type
api-request-blob/message/assistant content role
api-request-blob/message/system content output_config role
api-request-blob/message/user content role
api-request-shape agentId sessionId shape shapeHash timestamp type version
assistant agentId apiBlockIndex apiErrorIsTransient apiErrorStatus apiErrorType attributionAgent attributionMcpServer attributionMcpTool cwd effort entrypoint error failedResponseHadNoToolCall gitBranch isAbortedMidStream isApiErrorMessage isSidechain madeBy message parentUuid perTurnEffort promptCacheRequested requestId requestRef requestSessionId requestedModel serverClassifierRequest sessionId session_id slug thinkingDisplay thinkingDurationMs timestamp toolInputStreamMs type userType uuid version
assistant/message/message container content context_management diagnostics id model role stop_details stop_reason stop_sequence type usage
atis-latch atis sessionId type
attachment agentId attachment cwd entrypoint gitBranch isSidechain parentUuid rendered renderedBesideToolResult renderedInHumanTurn renderedRole sessionId session_id slug timestamp type userType uuid version
cost-state hasUnknownModelCost modelUsage sessionId startTime totalAPIDuration totalAPIDurationWithoutRetries totalCostUSD totalDuration totalLinesAdded totalLinesRemoved totalToolDuration type
custom-title customTitle sessionId type
file-history-delta backup messageId snapshotMessageId timestamp trackingPath type
file-history-snapshot isSnapshotUpdate messageId snapshot type
last-prompt explicit lastPrompt leafUuid sessionId type
mode mode sessionId type
permission-mode permissionMode sessionId type
progress agentId cwd data gitBranch isSidechain parentToolUseID parentUuid sessionId slug timestamp toolUseID type userType uuid version
queue-operation commandUuid content deliveryId operation reason sessionId timestamp type
summary leafUuid summary type
system commandRun compactMetadata content cwd durationMs entrypoint error gitBranch isMeta isSidechain level logicalParentUuid maxRetries messageCount parentUuid retryAttempt retryInMs sessionId slug source subtype timestamp type userType uuid version
tools-used sessionId tools type
user agentId cwd entrypoint gitBranch imagePasteIds interruptedMessageId isCompactSummary isMeta isSidechain isVisibleInTranscriptOnly mcpCallNotReadOnly mcpMeta message origin ownNote parentUuid permissionDecision permissionMode promptId promptSource refusalRetry refusedMessageId rowSource sandboxed sentAtMs sessionId session_id slug sourceToolAssistantUUID summarizeMetadata summarizedTurnPromptUuids thinkingMetadata timestamp todos toolDenialBeforeRun toolDenialKind toolUseResult turnCompanion turnOrigin turnPosition type userType uuid version
user/message/user content role
`,
  codex: `
- git id instructions items previous_response_id record_type session timestamp
compacted ordinal payload timestamp type
compacted/payload/- compaction_response_id first_window_id latest_token_usage_record message previous_window_id replacement_history replacement_history_metadata resume_metadata retained_context window_id window_number
event_msg ordinal payload timestamp type
event_msg/payload/agent_message memory_citation message phase type
event_msg/payload/agent_reasoning text type
event_msg/payload/context_compacted type
event_msg/payload/item_completed completed_at_ms item started_at_ms thread_id turn_id type
event_msg/payload/task_complete completed_at duration_ms last_agent_message root_turn_id started_at time_to_first_token_ms turn_id type
event_msg/payload/task_started collaboration_mode_kind model_context_window root_turn_id started_at turn_attribution turn_id type
event_msg/payload/thread_rolled_back num_turns type
event_msg/payload/thread_settings_applied thread_id thread_settings type
event_msg/payload/token_count info rate_limits type
event_msg/payload/turn_aborted completed_at duration_ms reason root_turn_id started_at turn_id type
event_msg/payload/user_message audio images kind local_audio local_images message text_elements type
function_call arguments call_id id name type
function_call_output call_id output type
inter_agent_communication_metadata ordinal payload timestamp type
inter_agent_communication_metadata/payload/- trigger_turn
message content id role type
reasoning content encrypted_content id summary type
response_item metadata ordinal payload timestamp type
response_item/payload/additional_tools id role tools type
response_item/payload/agent_message author content id internal_chat_message_metadata_passthrough recipient type
response_item/payload/custom_tool_call call_id id input internal_chat_message_metadata_passthrough name status type
response_item/payload/custom_tool_call_output call_id id internal_chat_message_metadata_passthrough output type
response_item/payload/function_call arguments call_id id internal_chat_message_metadata_passthrough name namespace status type
response_item/payload/function_call_output call_id id internal_chat_message_metadata_passthrough output type
response_item/payload/message content id internal_chat_message_metadata_passthrough phase role status type
response_item/payload/reasoning content encrypted_content id internal_chat_message_metadata_passthrough summary type
response_item/payload/tool_search_call arguments call_id execution id internal_chat_message_metadata_passthrough status type
response_item/payload/tool_search_output call_id execution id internal_chat_message_metadata_passthrough status tools type
session_meta ordinal payload timestamp type
session_meta/payload/- account_scoped agent_nickname agent_path agent_role base_instructions cli_version context_window cwd forked_from_id forked_from_ordinal_exclusive git history_base history_mode id instructions model_provider multi_agent_version originator parent_thread_id runtime_workspace_roots session_id source subagent_history_start_ordinal thread_source timestamp
token_usage_record ordinal payload timestamp type
token_usage_record/payload/- response_id root_turn_id session_id thread_id thread_token_usage turn_id turn_token_usage usage
turn_context ordinal payload timestamp type
turn_context/payload/- approval_policy approvals_reviewer collaboration_mode comp_hash current_date cwd disabled_plugin_ids effort model multi_agent_version permission_profile personality realtime_active root_turn_id sandbox_policy summary timezone turn_id workspace_roots
world_state ordinal payload timestamp type
world_state/payload/- full state
`,
  pi: `
branch_summary details fromHook fromId id parentId summary timestamp type usage
compaction details firstKeptEntryId firstKeptEntryIndex fromHook id parentId summary systemMessage timestamp tokensBefore type usage
context_edit id parentId replacement targetId timestamp type
custom customType data id parentId timestamp type
custom_message content customType details display id parentId timestamp type
label id label parentId targetId timestamp type
message id message parentId timestamp type
message/message/assistant api content durationMs errorMessage model provider rawStopReason responseId role stopReason thinkingLevel timestamp usage
message/message/bashExecution cancelled command excludeFromContext exitCode fullOutputPath output role timestamp truncated
message/message/system content role sections timestamp toolsAdded toolsRemoved
message/message/toolResult content details durationMs isError nestedCalls role timestamp toolCallId toolName
message/message/user content role timestamp
model_change id modelId parentId provider timestamp type
session cwd id model modelId parentSession provider thinkingLevel timestamp type version
session_info id name parentId timestamp type
thinking_level_change id parentId thinkingLevel timestamp type
`,
  hermes: `
- base_url content last_updated message_count messages model platform role session_id session_start system_prompt timestamp tool_call_id tool_calls tools
async_delegations completed_at delegation_id delivered_at delivery_attempts delivery_claim delivery_claimed_at delivery_state dispatched_at event_json origin_session origin_session_id origin_ui_session_id owner_pid owner_started_at parent_session_id result_json state task_json updated_at
compression_locks acquired_at expires_at holder session_id
conversation_generations generation session_key source
gateway_heartbeats backend_id host last_heartbeat pid profile started_at
gateway_hygiene_state failure_streak session_key
gateway_routing entry_json scope session_key updated_at
messages _compressed_summary active anthropic_content_blocks api_content codex_message_items codex_reasoning_items compacted content display_identity display_kind display_metadata display_order effect_disposition finish_reason id observed platform_message_id reasoning reasoning_content reasoning_details role session_id timestamp token_count tool_call_id tool_calls tool_name
schema_version version
session_model_usage actual_cost_usd api_call_count billing_base_url billing_mode billing_provider cache_read_tokens cache_write_tokens cost_source cost_status estimated_cost_usd first_seen input_tokens last_seen model output_tokens reasoning_tokens session_id task
session_turn_leases acquired_at conversation_id expires_at holder
sessions actual_cost_usd api_call_count archived billing_base_url billing_mode billing_provider cache_read_tokens cache_write_tokens chat_id chat_type compression_failure_cooldown_until compression_failure_error compression_fallback_streak compression_ineffective_count compression_overload_streak compression_recovery_deadline cost_source cost_status created_source cwd display_name end_reason ended_at estimated_cost_usd expiry_finalized git_branch git_metadata_generation git_repo_root handoff_error handoff_platform handoff_state hidden id input_tokens last_activity_at last_activity_description last_activity_provenance last_read_at message_count model model_config origin_json output_tokens parent_session_id pinned pricing_version profile_name reasoning_tokens rewind_count session_key source started_at system_prompt system_prompt_hash thread_id title title_source tool_call_count tool_names transport_profile user_id
state_meta key value
system_prompts hash prompt
`,
  opencode: `
- directory id permission projectID slug summary time title version
__drizzle_migrations created_at hash id
account access_token email id refresh_token time_created time_updated token_expiry url
account_state active_account_id active_org_id id
control_account access_token active email refresh_token time_created time_updated token_expiry url
credential active connector_id id integration_id label method_id time_created time_updated value
data_migration name time_completed
event aggregate_id data id seq type
event_sequence aggregate_id owner_id seq
message data id session_id time_created time_updated
migration id time_completed
part data id message_id session_id time_created time_updated
permission action data id project_id resource time_created time_updated
project commands icon_color icon_url icon_url_override id name sandboxes time_created time_initialized time_updated vcs worktree
project_directory directory project_id strategy time_created type
session agent cost directory id metadata model parent_id path permission project_id revert share_url slug summary_additions summary_deletions summary_diffs summary_files time_archived time_compacting time_created time_updated title tokens_cache_read tokens_cache_write tokens_input tokens_output tokens_reasoning version workspace_id
session_context_epoch baseline baseline_seq session_id snapshot
session_input admitted_seq delivery id promoted_seq prompt session_id time_created
session_message data id seq session_id time_created time_updated type
session_share id secret session_id time_created time_updated url
todo content position priority session_id status time_created time_updated
workspace branch directory extra id name project_id time_used type
`,
  gemini: `
- $set directories kind lastUpdated messages projectHash sessionId startTime summary
-/$set/- lastUpdated memoryScratchpad messages sessionId summary
gemini content id model thoughts timestamp tokens toolCalls type
info content id timestamp type
user content displayContent id sessionctl timestamp type
`,
  cursor: `
ItemTable key value
blobs data id
cursorDiskKV key value
meta key value
`,
  aider: `

`,
};
