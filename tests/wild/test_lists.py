"""Parley's own lists against the published types: a word that OpenAI's or Anthropic's package knows is a word that the
sources name, or one of LEFT, where somebody has decided what becomes of it.

A new package brings new words; then this fails until each is taken, or is put here with its reason.  What becomes of
the members of requests is in members.py, which has to name each of them, too.
"""

import typing

import pytest
from anthropic.types import beta as claude
from openai.types import chat, completion_usage, responses

from gateway import PROJECT
from variants import is_object, members, tags, union


def words(annotation):
    """Of a union of literals."""
    return [w for part in union(annotation) for w in typing.get_args(part)]


def deep(*kinds):
    """The members of objects, and of the objects that those hold."""
    found = []
    for kind in kinds:
        for name, annotation in members(kind).items():
            found += [name, *deep(*[part for part in union(annotation) if is_object(part)])]
    return found


WORDS = "src/shape/api_words.c"
RESPONSES, TO_RESPONSES = ("routes/response/*.c", "src/run/*.c"), ("src/provider/responses/*.c", WORDS)
MESSAGES, TO_CLAUDE = ("routes/messages/*.c", "src/provider/anthropic/*.c"), ("src/provider/anthropic/*.c", WORDS)
CHAT = ("src/provider/*.c", "src/provider/openai/*.c", "src/shape/*.c", "src/msg/*.c")

LISTS = {
    "items of a response's input": (tags(responses.ResponseInputItemParam), RESPONSES),
    "parts of a response's input": (tags(responses.ResponseInputContentParam), RESPONSES),
    "tools of a response": (tags(responses.ToolParam), RESPONSES),
    "values of include": (words(responses.ResponseIncludable), RESPONSES),
    "items of a provider's response": (tags(responses.ResponseOutputItem), TO_RESPONSES),
    "events of a provider's response": (tags(responses.ResponseStreamEvent), TO_RESPONSES),
    "what a response's usage counts": (deep(responses.ResponseUsage), TO_RESPONSES),
    "roles of a chat": (tags(chat.ChatCompletionMessageParam, "role"), CHAT),
    "parts of a chat": (tags(chat.ChatCompletionContentPartParam), CHAT),
    "members of a chat's answer": (deep(chat.ChatCompletionMessage), CHAT),
    "members of a chunk": (members(chat.chat_completion_chunk.ChoiceDelta), CHAT),
    "what a chat's usage counts": (deep(completion_usage.CompletionUsage), CHAT),
    "blocks of a message": (tags(claude.BetaContentBlockParam), MESSAGES),
    "blocks of Claude's answer": (tags(claude.BetaContentBlock), TO_CLAUDE),
    "events of Claude's answer": (tags(claude.BetaRawMessageStreamEvent), TO_CLAUDE),
    "pieces of Claude's answer": (tags(claude.BetaRawContentBlockDelta), TO_CLAUDE),
    "reasons of Claude's end": (words(claude.BetaStopReason), TO_CLAUDE),
    "what Claude's usage counts": (list(members(claude.BetaUsage)), TO_CLAUDE),
}

# Of tools that OpenAI runs: a request that has them is refused, or they are left out with a warning.
HOSTED = """apply_patch_call apply_patch_call_output code_interpreter_call computer_call computer_call_output
    file_search_call local_shell_call local_shell_call_output mcp_approval_request mcp_approval_response mcp_call
    mcp_list_tools program program_output shell_call shell_call_output tool_search_call tool_search_output
    web_search_call additional_tools"""
# Of tools that Anthropic runs.
CLAUDES = """advisor_tool_result bash_code_execution_tool_result code_execution_tool_result mcp_tool_listing
    mcp_tool_result text_editor_code_execution_tool_result tool_search_tool_result web_fetch_tool_result
    web_search_tool_result fallback"""

LEFT = {
    "items of a response's input": f"{HOSTED} compaction compaction_trigger configuration_update",
    "tools of a response": """apply_patch code_interpreter computer computer_use_preview file_search
        image_generation local_shell mcp namespace programmatic_tool_calling shell tool_search web_search
        web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11""",
    # Nobody asks a provider for such tools, so none comes; one that comes has no text and no call.
    "items of a provider's response": f"""{HOSTED} compaction custom_tool_call custom_tool_call_output
        function_call_output image_generation_call""",
    # Besides those of such tools: what repeats the pieces before it, and what is no part of the text.
    "events of a provider's response": """response.audio.delta response.audio.done response.audio.transcript.delta
        response.audio.transcript.done response.code_interpreter_call.completed
        response.code_interpreter_call.in_progress response.code_interpreter_call.interpreting
        response.code_interpreter_call_code.delta response.code_interpreter_call_code.done
        response.compaction.compacting response.content_part.done response.custom_tool_call_input.delta
        response.custom_tool_call_input.done response.file_search_call.completed
        response.file_search_call.in_progress response.file_search_call.searching
        response.image_generation_call.completed response.image_generation_call.generating
        response.image_generation_call.in_progress response.image_generation_call.partial_image
        response.mcp_call.completed response.mcp_call.failed response.mcp_call.in_progress
        response.mcp_call_arguments.delta response.mcp_call_arguments.done response.mcp_list_tools.completed
        response.mcp_list_tools.failed response.mcp_list_tools.in_progress
        response.output_text.annotation.added response.output_text.done response.queued
        response.reasoning_summary_part.done response.reasoning_summary_text.done response.reasoning_text.done
        response.refusal.done response.shell_call_command.added response.shell_call_command.delta
        response.shell_call_command.done response.shell_call_output_content.delta
        response.shell_call_output_content.done response.web_search_call.completed
        response.web_search_call.in_progress response.web_search_call.searching""",
    # The sum is the gateway's own.
    "what a response's usage counts": """total_tokens cache_write_tokens cache_write_tokens_details ttl_12h_tokens
        ttl_30m_tokens""",
    # Nothing is counted apart for them.
    "what a chat's usage counts": """accepted_prediction_tokens audio_tokens image_tokens rejected_prediction_tokens
        text_tokens total_tokens""",
    "members of a chat's answer": "annotations expires_at transcript",
    "blocks of a message": f"{CLAUDES} tool_addition tool_removal",
    "blocks of Claude's answer": f"{CLAUDES} compaction container_upload mcp_tool_use server_tool_use",
    "pieces of Claude's answer": "citations_delta compaction_delta signature_delta",
    # An end like any other.
    "reasons of Claude's end": "compaction pause_turn",
    "what Claude's usage counts": """cache_creation fallback_credit inference_geo iterations output_tokens_details
        server_tool_use service_tier speed""",
}


def named(globs):
    return "\n".join(path.read_text() for glob in globs for path in PROJECT.glob(glob))


@pytest.mark.parametrize("title", LISTS)
def test_each_word_is_known(title):
    published, globs = LISTS[title]
    assert published, "the package has no such type any more"
    code, left = named(globs), set(LEFT.get(title, "").split())
    new = {w for w in published if f'"{w}"' not in code and f'\\"{w}\\"' not in code} - left
    assert not new, f"{title}: new words, of which nobody has said what becomes of them: {sorted(new)}"
    old = left - set(published)
    assert not old, f"{title}: the package has no such words any more: {sorted(old)}"
