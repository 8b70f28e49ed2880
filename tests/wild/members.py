"""What becomes of each member of a request: one table for two readers.

tests/wild/test_members.py asks every dialect for each member, whole and streamed, and holds what happened against
it; tests/lint/docs.py prints it into docs/compatibility.md.  So it holds facts alone, and needs nothing.

    API -> member -> value -> dialects -> word

A value is called by its label in tests/wild/asked_members.py, `*` is every other one; `*` of the dialects is every
other one, too.  The words are those of tests/wild/cross.py.  A fault is a word that is wrong, with why it is.
"""

import fnmatch
import re
from typing import NamedTuple

from members_bedrock import BEDROCK
from members_interactions import INTERACTIONS

DIALECTS = ["openai", "azure", "mistral", "anthropic", "bedrock", "gemini", "gemini-interactions", "ollama", "openai-responses"]


class Fault(NamedTuple):
    """What happens, but should not; strict: the row fails as soon as something else happens."""
    word: str
    why: str


def fault(word, why):
    return Fault(word, why)


def ever(word):
    """The same in all dialects."""
    return {"*": word}


# Words that come more than once.
THOUGHTS = "generationConfig.thinkingConfig.includeThoughts=true; generationConfig.thinkingConfig.thinkingLevel"
NO_THOUGHTS = ('generationConfig.thinkingConfig.includeThoughts=false; '
               'generationConfig.thinkingConfig.thinkingLevel="minimal"')
ONE_OF = ('toolConfig.functionCallingConfig.mode="ANY"; '
          'toolConfig.functionCallingConfig.allowedFunctionNames[0]="get_weather"')
SCHEMA = 'generationConfig.responseMimeType="application/json"; generationConfig.responseJsonSchema~'
NAMED = 'tool_choice.type="function"; tool_choice.function.name="get_weather"'
NAMED_FLAT = 'tool_choice.type="function"; tool_choice.name="get_weather"'
ALONE = "parallel_tool_calls=false"

CHAT = {
    "audio": {"*": {"*": "refused", "openai azure": "passed"}},
    "frequency_penalty": {"*": {
        "*": "passed", "anthropic openai-responses": "warned", "gemini": "generationConfig.frequencyPenalty",
        "ollama": "options.frequency_penalty"}},
    "function_call": {"*": {"*": "warned", "openai azure": "passed", "mistral": "refused"}},
    "functions": {"*": {"*": "refused", "openai azure": "passed"}},
    "logit_bias": {"*": {"*": "warned", "openai azure": "passed"}},
    "logprobs": {"*": {"*": "warned", "openai azure": "passed"}},
    "max_completion_tokens": {"*": {
        "*": "passed", "mistral anthropic": "max_tokens", "gemini": "generationConfig.maxOutputTokens",
        "ollama": "options.num_predict", "openai-responses": "max_output_tokens"}},
    "max_tokens": {"*": {
        "*": "passed", "gemini": "generationConfig.maxOutputTokens", "ollama": "options.num_predict",
        "openai-responses": "max_output_tokens"}},
    "metadata": {"*": ever("own")},
    "modalities": {"*": {"*": "warned", "openai azure": "passed"}},
    "moderation": {"*": {"*": "warned", "openai azure": "passed"}},
    "n": {"*": {"*": "refused", "openai azure mistral": "passed"}},
    "parallel_tool_calls": {
        "*": {"*": "passed", "anthropic gemini ollama": "own"},
        "false": {
            "*": "passed", "anthropic": 'tool_choice.type="auto"; tool_choice.disable_parallel_tool_use=true',
            "gemini ollama": "warned"},
    },
    "prediction": {"*": {"*": "warned", "openai azure mistral": "passed"}},
    "presence_penalty": {"*": {
        "*": "passed", "anthropic openai-responses": "warned", "gemini": "generationConfig.presencePenalty",
        "ollama": "options.presence_penalty"}},
    "prompt_cache_key": {"*": {"*": "passed", "anthropic gemini ollama": "warned"}},
    "prompt_cache_options": {"*": {"*": "warned", "openai azure openai-responses": "passed"}},
    "prompt_cache_retention": {"*": {"*": "warned", "openai azure openai-responses": "passed"}},
    "reasoning_effort": {
        "*": {
            "*": "passed", "anthropic": "warned", "gemini": THOUGHTS, "ollama": "think",
            "openai-responses": "reasoning.effort"},
        '"none"': {
            "*": "passed", "anthropic": "own", "gemini": NO_THOUGHTS + " !", "ollama": "think=false",
            "openai-responses": "reasoning.effort"},
        '"minimal"': {
            "*": "passed", "anthropic": "warned", "gemini": THOUGHTS, "ollama": 'think="low" !',
            "openai-responses": "reasoning.effort"},
        '"xhigh"': {
            "*": "passed", "anthropic": "warned", "gemini": THOUGHTS + '="high" !', "ollama": 'think="high" !',
            "openai-responses": "reasoning.effort"},
        '"max"': {
            "*": "passed", "anthropic": "warned", "gemini": THOUGHTS + '="high" !', "ollama": 'think="high" !',
            "openai-responses": "reasoning.effort"},
    },
    "response_format": {
        "*": {
            "*": "passed", "anthropic": "output_config~", "gemini": "generationConfig~", "ollama": "format~",
            "openai-responses": "text~"},
        "text": {"*": "own", "openai azure mistral": "passed"},
        "json_object": {
            "*": "passed", "anthropic": "warned", "gemini": 'generationConfig.responseMimeType="application/json"',
            "ollama": 'format="json"', "openai-responses": 'text.format.type="json_object"'},
    },
    "safety_identifier": {"*": {"*": "warned", "openai azure openai-responses": "passed"}},
    "seed": {"*": {
        "*": "passed", "mistral": "random_seed", "anthropic openai-responses": "warned",
        "gemini": "generationConfig.seed", "ollama": "options.seed"}},
    "service_tier": {
        "*": {"*": "warned", "openai azure openai-responses": "passed"},
        '"auto"': {"*": "passed", "mistral gemini ollama": "warned"},
        '"default"': {"*": "passed", "mistral gemini ollama": "warned", "anthropic": 'service_tier="standard_only"'},
    },
    "stop": {
        "*": {
            "*": "passed", "anthropic": "stop_sequences[0]", "gemini": "generationConfig.stopSequences[0]",
            "ollama": "options.stop[0]", "openai-responses": "warned"},
        "[text]": {
            "*": "passed", "anthropic": "stop_sequences", "gemini": 'generationConfig.stopSequences[0]="x"',
            "ollama": 'options.stop[0]="x"', "openai-responses": "warned"},
        "[six]": {
            "*": "passed", "anthropic": "stop_sequences", "gemini": "generationConfig~ !", "ollama": "options~",
            "openai-responses": "warned"},
        "[blank]": {
            "*": "passed", "anthropic": 'stop_sequences[0]="x" !',
            "gemini": 'generationConfig.stopSequences[0]=" "; generationConfig.stopSequences[1]="x"',
            "ollama": 'options.stop[0]=" "; options.stop[1]="x"', "openai-responses": "warned"},
    },
    "store": {"*": ever("own")},
    "temperature": {
        "*": {"*": "passed", "gemini": "generationConfig.temperature", "ollama": "options.temperature"},
        "1.7": {
            "*": "passed", "mistral": "temperature=1.5 !", "anthropic": "temperature=1 !",
            "gemini": "generationConfig.temperature", "ollama": "options.temperature"},
    },
    "tool_choice": {
        "*": {
            "*": "passed", "anthropic": "tool_choice.type",
            "gemini": 'toolConfig.functionCallingConfig.mode="NONE"', "ollama": "-tools"},
        '"auto"': {
            "*": "passed", "anthropic": "tool_choice.type",
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO"', "ollama": "own"},
        '"required"': {
            "*": "passed", "anthropic": 'tool_choice.type="any"',
            "gemini": 'toolConfig.functionCallingConfig.mode="ANY"', "ollama": "warned"},
        "allowed_tools": {
            "*": "passed", "mistral openai-responses": 'tool_choice="auto"', "anthropic": 'tool_choice.type="auto"',
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO"', "ollama": "own"},
        "function": {
            "*": "passed", "anthropic": 'tool_choice.type="tool"; tool_choice.name="get_weather"', "gemini": ONE_OF,
            "ollama": "warned", "openai-responses": NAMED_FLAT},
        "custom": {"*": "refused", "openai azure": "passed"},
    },
    "tools": {
        "*": {"*": "tools~", "openai azure ollama": "passed"},
        "[function, full]": {"*": "passed", "anthropic openai-responses": "tools~", "gemini": "tools~ !"},
        "[custom]": {"*": "refused", "openai azure": "passed"},
        "[custom, full]": {"*": "refused", "openai azure": "passed"},
    },
    "top_logprobs": {"*": {"*": "warned", "openai azure": "passed"}},
    "top_p": {"*": {"*": "passed", "gemini": "generationConfig.topP", "ollama": "options.top_p"}},
    "user": {
        "*": {"*": "passed", "mistral gemini ollama": "warned", "anthropic": "metadata.user_id"},
        "email": {
            "*": "passed", "mistral gemini ollama": "warned",
            "anthropic": 'metadata.user_id="71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476"'},
    },
    "verbosity": {"*": {"*": "warned", "openai azure": "passed", "openai-responses": "text.verbosity"}},
    "web_search_options": {"*": {"*": "warned", "openai azure": "passed"}},
    "top_k": {"*": {"*": "passed", "gemini": "generationConfig.topK", "ollama": "options.top_k"}},
    "chat_template_kwargs": {"*": ever("passed")},
    "stream_options": {
        "*": ever("own"),
        "object, full": {"*": "own", "openai azure": "stream_options.include_obfuscation=true"},
    },
}

RESPONSES = {
    "access_programs": {"*": {"*": "warned", "openai-responses": "passed"}},
    "background_options": {"*": ever("warned")},
    "context_management": {"*": {"*": "warned", "openai-responses": "passed"}},
    "image": {"*": {"*": "warned", "openai-responses": "passed"}},
    "include": {
        "*": {"*": "own", "openai-responses": "passed"},
        '["reasoning.encrypted_content"]': {"*": "warned", "openai-responses": "passed"},
        '["message.output_text.logprobs"]': {
            "*": "warned", "openai azure": "logprobs=true", "openai-responses": "passed"},
    },
    "instructions": {"*": {
        "*": "messages~", "anthropic": 'system[0].type="text"; system[0].text',
        "gemini": "systemInstruction.parts[0].text", "openai-responses": "passed"}},
    "max_output_tokens": {"*": {
        "*": "max_tokens", "gemini": "generationConfig.maxOutputTokens", "ollama": "options.num_predict",
        "openai-responses": "passed"}},
    "max_tool_calls": {"*": {"*": "own", "openai-responses": "passed"}},
    "metadata": {"*": ever("own")},
    "moderation": {"*": {"*": "refused", "openai-responses": "passed"}},
    "parallel_tool_calls": {
        "*": {"*": "passed", "anthropic gemini ollama": "own"},
        "false": {
            "*": "passed", "anthropic": 'tool_choice.type="auto"; tool_choice.disable_parallel_tool_use=true',
            "gemini ollama": "warned"},
    },
    "prompt_cache_key": {"*": {"*": "passed", "anthropic gemini ollama": "warned"}},
    "prompt_cache_options": {"*": {"*": "warned", "openai-responses": "passed"}},
    "prompt_cache_retention": {"*": {"*": "warned", "openai azure openai-responses": "passed"}},
    "reasoning": {
        "*": {"*": "own", "openai-responses": "passed"},
        "object, full": {
            "*": 'reasoning_effort="none" !', "anthropic": "warned", "gemini": NO_THOUGHTS + " !",
            "ollama": "think=false !", "openai-responses": "passed"},
        "effort": {
            "*": 'reasoning_effort="low"', "anthropic": "warned", "gemini": THOUGHTS + '="low"',
            "ollama": 'think="low"', "openai-responses": "passed"},
        "context": {"*": "warned", "openai-responses": "passed"},
        "mode": {"*": "warned", "openai-responses": "passed"},
    },
    "safety_identifier": {"*": {"*": "warned", "openai azure openai-responses": "passed"}},
    "service_tier": {
        "*": {"*": "warned", "openai azure openai-responses": "passed"},
        '"auto"': {"*": "passed", "mistral gemini ollama": "warned"},
        '"default"': {"*": "passed", "mistral gemini ollama": "warned", "anthropic": 'service_tier="standard_only"'},
        '"ultrafast"': {
            "*": "warned", "openai-responses": "passed"},
    },
    "store": {"*": ever("own")},
    "temperature": {
        "*": {"*": "passed", "gemini": "generationConfig.temperature", "ollama": "options.temperature"},
        "1.7": {
            "*": "passed", "mistral": "temperature=1.5 !", "anthropic": "temperature=1 !",
            "gemini": "generationConfig.temperature", "ollama": "options.temperature"},
    },
    "text": {
        "*": {"*": "own", "openai-responses": "passed"},
        "object, full": {"*": "warned", "openai azure": 'verbosity="low"', "openai-responses": "passed"},
        "json_schema": {
            "*": "response_format~", "anthropic": "output_config~", "gemini": "generationConfig~",
            "ollama": "format~", "openai-responses": "passed"},
        "json_object": {
            "*": 'response_format.type="json_object"', "anthropic": "warned",
            "gemini": 'generationConfig.responseMimeType="application/json"', "ollama": 'format="json"',
            "openai-responses": "passed"},
    },
    "tool_choice": {
        "*": {"*": "warned", "openai-responses": "passed"},
        '"none"': {
            "*": "passed", "anthropic": "tool_choice.type",
            "gemini": 'toolConfig.functionCallingConfig.mode="NONE"', "ollama": "-tools"},
        '"auto"': {
            "*": "passed", "anthropic": "tool_choice.type",
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO"', "ollama": "own"},
        '"required"': {
            "*": "passed", "anthropic": 'tool_choice.type="any"',
            "gemini": 'toolConfig.functionCallingConfig.mode="ANY"', "ollama": "warned"},
        "allowed_tools": {
            "*": 'tool_choice="auto"', "anthropic": 'tool_choice.type="auto"',
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO"', "ollama": "own", "openai-responses": "passed"},
        "function": {
            "*": NAMED, "anthropic": 'tool_choice.type="tool"; tool_choice.name="get_weather"', "gemini": ONE_OF,
            "ollama": "warned", "openai-responses": "passed"},
        "custom": {
            "*": NAMED, "anthropic": 'tool_choice.type="tool"; tool_choice.name="get_weather"', "gemini": ONE_OF,
            "ollama": "warned", "openai-responses": "passed"},
    },
    "tools": {
        "*": {"*": "warned", "openai-responses": "passed"},
        "[function]": {"*": "tools~", "gemini": "tools~ !", "openai-responses": "passed"},
        "[function, full]": {"*": "tools~", "gemini": "tools~ !", "openai-responses": "passed"},
        "[custom]": {"*": "tools~", "openai-responses": "passed"},
        "[custom, full]": {"*": "tools~", "openai-responses": "passed"},
        "[namespace]": {"*": "tools~", "openai-responses": "passed"},
    },
    "top_logprobs": {"*": {
        "*": "warned", "openai azure": "logprobs=true; top_logprobs", "openai-responses": "passed"}},
    "top_p": {"*": {"*": "passed", "gemini": "generationConfig.topP", "ollama": "options.top_p"}},
    "truncation": {
        "*": {"*": "warned", "openai-responses": "passed"},
        '"disabled"': {"*": "own", "openai-responses": "passed"},
    },
    "user": {"*": {"*": "passed", "mistral gemini ollama": "warned", "anthropic": "metadata.user_id"}},
    "client_metadata": {"*": {"*": "warned", "openai-responses": "passed"}},
    "presence_penalty": {"*": {
        "*": "passed", "anthropic": "warned", "gemini": "generationConfig.presencePenalty",
        "ollama": "options.presence_penalty",
        "openai-responses": "passed"}},
    "frequency_penalty": {"*": {
        "*": "passed", "anthropic": "warned", "gemini": "generationConfig.frequencyPenalty",
        "ollama": "options.frequency_penalty",
        "openai-responses": "passed"}},
    "top_k": {"*": {"*": "passed", "gemini": "generationConfig.topK", "ollama": "options.top_k"}},
    "stream_options": {"*": {"*": "own", "openai-responses": "passed"}},
}

MESSAGES = {
    "max_tokens": {"*": {
        "*": "passed", "gemini": "generationConfig.maxOutputTokens", "ollama": "options.num_predict",
        "openai-responses": "max_output_tokens"}},
    "billing_policy": {"*": {"*": "warned", "anthropic": "passed"}},
    "cache_control": {"*": {"*": "own", "anthropic": "passed"}},
    "compaction": {"*": {"*": "warned", "anthropic": "passed"}},
    "container": {"*": {"*": "warned", "anthropic": "passed"}},
    "context_management": {"*": {"*": "warned", "anthropic": "passed"}},
    "diagnostics": {"*": {"*": "warned", "anthropic": "passed"}},
    "fallback_credit_token": {"*": {"*": "warned", "anthropic": "passed"}},
    "fallbacks": {"*": {"*": "warned", "anthropic": "passed"}},
    "inference_geo": {"*": {"*": "warned", "anthropic": "passed"}},
    "mcp_servers": {
        "*": {"*": "refused", "anthropic": "passed"},
        "[]": {"*": "own", "anthropic": "passed"},
    },
    "metadata": {
        "*": {"*": "own", "anthropic": "passed"},
        "object, full": {
            "*": 'user="0f45e858fbc4176cdf4e411f88281edefc390ae5afe7df0f44cd9297f0a64580"',
            "mistral gemini ollama": "warned", "anthropic": "passed"},
        "user": {"*": 'user="ann"', "mistral gemini ollama": "warned", "anthropic": "passed"},
    },
    "output_config": {
        "*": {"*": "own", "anthropic": "passed"},
        "object, full": {
            "*": "response_format~ !", "anthropic": "passed", "gemini": SCHEMA + " !", "ollama": "format~ !",
            "openai-responses": "text~ !"},
        "effort": {"*": "warned", "anthropic": "passed"},
        "format": {
            "*": "response_format~", "anthropic": "passed", "gemini": SCHEMA, "ollama": "format~",
            "openai-responses": "text~"},
    },
    "service_tier": {"*": {"*": "own", "anthropic": "passed"}},
    "speed": {"*": {"*": "warned", "anthropic": "passed"}},
    "stop_sequences": {
        "*": {
            "*": "stop", "anthropic": "passed", "gemini": "generationConfig.stopSequences",
            "ollama": "options.stop", "openai-responses": "warned"},
        "[six]": {
            "*": "stop~ !", "anthropic": "passed", "gemini": "generationConfig.stopSequences~ !",
            "ollama": "options.stop~ !", "openai-responses": "warned"},
    },
    "system": {
        "*": {
            "*": "messages~", "anthropic": "passed", "gemini": 'systemInstruction.parts[0].text="x"',
            "openai-responses": "input~"},
        "text": {
            "*": "messages~", "anthropic": "passed", "gemini": "systemInstruction.parts[0].text",
            "openai-responses": "input~"},
    },
    "thinking": {
        "*": {"*": "own", "anthropic": "passed"},
        "enabled": {"*": "warned", "anthropic": "passed"},
        "enabled, full": {"*": "warned", "anthropic": "passed"},
        "between_tools": {"*": "warned", "anthropic": "passed"},
    },
    "thread": {"*": {"*": "refused", "anthropic": "passed"}},
    "tool_choice": {
        "*": {
            "*": 'tool_choice="auto"', "anthropic": "passed",
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO"', "ollama": "own"},
        "auto, full": {
            "*": ALONE + '; tool_choice="auto"',
            "mistral openai-responses": 'tool_choice="auto"; parallel_tool_calls=false', "anthropic": "passed",
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO" !', "ollama": "warned"},
        "any": {
            "*": 'tool_choice="required"', "anthropic": "passed",
            "gemini": 'toolConfig.functionCallingConfig.mode="ANY"', "ollama": "warned"},
        "any, full": {
            "*": ALONE + '; tool_choice="required"',
            "mistral openai-responses": 'tool_choice="required"; parallel_tool_calls=false', "anthropic": "passed",
            "gemini": 'toolConfig.functionCallingConfig.mode="ANY" !', "ollama": "warned"},
        "tool": {
            "*": NAMED, "anthropic": "passed", "gemini": ONE_OF, "ollama": "warned", "openai-responses": NAMED_FLAT},
        "tool, full": {
            "*": ALONE + "; " + NAMED, "mistral": NAMED + "; parallel_tool_calls=false", "anthropic": "passed",
            "gemini": ONE_OF + " !", "ollama": "warned",
            "openai-responses": NAMED_FLAT + "; parallel_tool_calls=false"},
        "none": {
            "*": 'tool_choice="none"', "anthropic": "passed",
            "gemini": 'toolConfig.functionCallingConfig.mode="NONE"', "ollama": "-tools"},
    },
    "tools": {
        "*": {"*": "refused", "anthropic": "passed"},
        "[object]": {"*": "tools~", "anthropic": "passed"},
        "[object, full]": {"*": "tools~", "anthropic": "passed", "gemini": "tools~ !"},
    },
    "user_profile_id": {"*": {"*": "warned", "anthropic": "passed"}},
    "workspace_id": {"*": {"*": "warned", "anthropic": "passed"}},
    "temperature": {"*": {
        "*": "passed", "gemini": "generationConfig.temperature", "ollama": "options.temperature"}},
    "top_p": {"*": {"*": "passed", "gemini": "generationConfig.topP", "ollama": "options.top_p"}},
    "top_k": {"*": {
        "*": "warned", "anthropic": "passed", "gemini": "generationConfig.topK", "ollama": "options.top_k"}},
}

NATIVE = {
    "max_tokens": {"*": {
        "*": "passed", "gemini": "generationConfig.maxOutputTokens", "ollama": "options.num_predict",
        "openai-responses": "max_output_tokens"}},
    "temperature": {
        "*": {"*": "passed", "gemini": "generationConfig.temperature", "ollama": "options.temperature"},
        "1.7": {
            "*": "passed", "mistral": "temperature=1.5 !", "anthropic": "temperature=1 !",
            "gemini": "generationConfig.temperature", "ollama": "options.temperature"},
    },
    "top_p": {"*": {"*": "passed", "gemini": "generationConfig.topP", "ollama": "options.top_p"}},
    "stop": {
        "*": {
            "*": "passed", "anthropic": "stop_sequences[0]", "gemini": "generationConfig.stopSequences[0]",
            "ollama": "options.stop[0]", "openai-responses": "warned"},
        "[text]": {
            "*": "passed", "anthropic": "stop_sequences", "gemini": 'generationConfig.stopSequences[0]="x"',
            "ollama": 'options.stop[0]="x"', "openai-responses": "warned"},
    },
    "seed": {"*": {
        "*": "passed", "mistral": "random_seed", "anthropic openai-responses": "warned",
        "gemini": "generationConfig.seed", "ollama": "options.seed"}},
    "presence_penalty": {"*": {
        "*": "passed", "anthropic openai-responses": "warned", "gemini": "generationConfig.presencePenalty",
        "ollama": "options.presence_penalty"}},
    "frequency_penalty": {"*": {
        "*": "passed", "anthropic openai-responses": "warned", "gemini": "generationConfig.frequencyPenalty",
        "ollama": "options.frequency_penalty"}},
    "response_format": {
        "*": {"*": "own", "openai azure mistral": "passed"},
        "json_object": {
            "*": "passed", "anthropic": "warned", "gemini": 'generationConfig.responseMimeType="application/json"',
            "ollama": 'format="json"', "openai-responses": 'text.format.type="json_object"'},
        "json_schema": {
            "*": "passed", "anthropic": "output_config~", "gemini": "generationConfig~", "ollama": "format~",
            "openai-responses": "text~"},
    },
    "tools": {"*": {"*": "passed", "anthropic gemini openai-responses": "tools~"}},
    "tool_choice": {
        "*": {
            "*": "passed", "anthropic": "tool_choice.type",
            "gemini": 'toolConfig.functionCallingConfig.mode="NONE"', "ollama": "-tools"},
        '"auto"': {
            "*": "passed", "anthropic": "tool_choice.type",
            "gemini": 'toolConfig.functionCallingConfig.mode="AUTO"', "ollama": "own"},
        '"required"': {
            "*": "passed", "anthropic": 'tool_choice.type="any"',
            "gemini": 'toolConfig.functionCallingConfig.mode="ANY"', "ollama": "warned"},
        "function": {
            "*": "passed", "anthropic": 'tool_choice.type="tool"; tool_choice.name="get_weather"', "gemini": ONE_OF,
            "ollama": "warned", "openai-responses": NAMED_FLAT},
    },
    "reasoning_effort": {
        "*": {
            "*": "passed", "anthropic": "warned", "gemini": THOUGHTS, "ollama": "think",
            "openai-responses": "reasoning.effort"},
        '"none"': {
            "*": "passed", "anthropic": "own", "gemini": NO_THOUGHTS + " !", "ollama": "think=false",
            "openai-responses": "reasoning.effort"},
    },
    "extra": {
        "*": {"*": "top_k=2", "gemini": "generationConfig.topK=2", "ollama": "options"},
        "user": {"*": 'user="ann"', "mistral gemini ollama": "warned", "anthropic": 'metadata.user_id="ann"'},
    },
}

COMPLETIONS = {
    "best_of": {"*": ever("refused")},
    "echo": {
        "*": ever("refused"),
        "false": ever("own"),
    },
    "frequency_penalty": {"*": {
        "*": "passed", "anthropic openai-responses": "warned", "gemini": "generationConfig.frequencyPenalty",
        "ollama": "options.frequency_penalty"}},
    "logit_bias": {"*": {"*": "warned", "openai azure": "passed"}},
    "logprobs": {"*": ever("refused")},
    "max_tokens": {"*": {
        "*": "passed", "gemini": "generationConfig.maxOutputTokens", "ollama": "options.num_predict",
        "openai-responses": "max_output_tokens"}},
    "n": {"*": ever("refused")},
    "presence_penalty": {"*": {
        "*": "passed", "anthropic openai-responses": "warned", "gemini": "generationConfig.presencePenalty",
        "ollama": "options.presence_penalty"}},
    "seed": {"*": {
        "*": "passed", "mistral": "random_seed", "anthropic openai-responses": "warned",
        "gemini": "generationConfig.seed", "ollama": "options.seed"}},
    "stop": {
        "*": {
            "*": "passed", "anthropic": "stop_sequences[0]", "gemini": "generationConfig.stopSequences[0]",
            "ollama": "options.stop[0]", "openai-responses": "warned"},
        "[text]": {
            "*": "passed", "anthropic": "stop_sequences", "gemini": 'generationConfig.stopSequences[0]="x"',
            "ollama": 'options.stop[0]="x"', "openai-responses": "warned"},
    },
    "suffix": {"*": ever("refused")},
    "temperature": {"*": {
        "*": "passed", "gemini": "generationConfig.temperature", "ollama": "options.temperature"}},
    "top_p": {"*": {"*": "passed", "gemini": "generationConfig.topP", "ollama": "options.top_p"}},
    "user": {"*": {"*": "passed", "mistral gemini ollama": "warned", "anthropic": "metadata.user_id"}},
    "stream_options": {"*": ever("own")},
}

OLLAMA = {
    "format": {
        '"json"': {
            "*": 'response_format.type="json_object"', "anthropic bedrock": "warned", "ollama": "passed",
            "gemini": 'generationConfig.responseMimeType="application/json"',
            "openai-responses": 'text.format.type="json_object"'},
        "*": {
            "*": "response_format~", "anthropic": "output_config~", "gemini": "generationConfig~", "ollama": "passed",
            "openai-responses": "text~",
            "bedrock": 'outputConfig.textFormat.type="json_schema"; outputConfig.textFormat.structure.jsonSchema.schema='
                       r'"{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, '
                       r'\"required\": [\"city\"], \"additionalProperties\": false}"'},
    },
    "keep_alive": {"*": ever("own")},
    "options": {
        "temperature": {
            "*": "temperature=0.5", "gemini": "generationConfig", "ollama": "passed", "bedrock": "inferenceConfig"},
        "top_p": {
            "*": "top_p=0.5", "gemini": "generationConfig.topP=0.5", "ollama": "passed",
            "bedrock": "inferenceConfig.topP=0.5"},
        "top_k": {
            "*": "warned", "anthropic": "top_k=2", "gemini": "generationConfig.topK=2", "ollama": "passed",
            "bedrock": "additionalModelRequestFields"},
        "seed": {
            "*": "seed=2", "mistral": "random_seed=2", "anthropic openai-responses bedrock": "warned",
            "gemini": "generationConfig", "ollama": "passed"},
        "num_predict": {
            "*": "max_tokens=200", "gemini": "generationConfig.maxOutputTokens=200", "ollama": "passed",
            "openai-responses": "max_output_tokens=200", "bedrock": "inferenceConfig.maxTokens=200"},
        "stop": {
            "*": 'stop[0]="x"', "anthropic": 'stop_sequences[0]="x"',
            "gemini": 'generationConfig.stopSequences[0]="x"', "ollama": "passed", "openai-responses": "warned",
            "bedrock": 'inferenceConfig.stopSequences[0]="x"'},
        "presence_penalty": {
            "*": "presence_penalty=0.5", "anthropic openai-responses bedrock": "warned",
            "gemini": "generationConfig.presencePenalty=0.5", "ollama": "passed"},
        "frequency_penalty": {
            "*": "frequency_penalty=0.5", "anthropic openai-responses bedrock": "warned",
            "gemini": "generationConfig.frequencyPenalty=0.5", "ollama": "passed"},
        "*": {"*": "warned", "ollama": "passed"},
    },
    "think": {
        "*": {"*": "warned", "ollama": "passed"},
        "false": {"*": "own", "ollama": "passed"},
    },
    "tools": {"*": {"*": "tools~", "openai azure mistral ollama": "passed", "bedrock": "toolConfig~"}},
    "truncate": {"*": {"*": "own", "ollama": "passed"}},
}

TABLES = {"chat": CHAT, "responses": RESPONSES, "messages": MESSAGES, "native": NATIVE, "completions": COMPLETIONS}


def _add(tables, dialect, columns):
    """Puts a column into the tables."""
    for family, members in columns.items():
        for member, words in members.items():
            rows = tables[family][member]
            for label, word in words.items():
                if label != "*":
                    rows.setdefault(label, dict(rows["*"]))
            for label, row in rows.items():
                row[dialect] = words.get(label, words["*"])


_add(TABLES, "bedrock", BEDROCK)
TABLES["ollama"] = OLLAMA  # has its own of Bedrock
_add(TABLES, "gemini-interactions", INTERACTIONS)


def _pick(rows, name):
    """The row that names it, alone or among others; `*` if none does."""
    for key, row in rows.items():
        if name in (key, *key.split(" ")) or (key != "*" and fnmatch.fnmatchcase(name, key)):
            return row
    return rows["*"]


def cell(family, member, label, dialect):
    """A word or a Fault."""
    rows = TABLES[family][member]
    return _pick(rows[label] if label in rows else rows["*"], dialect)


def faults():
    for family, table in TABLES.items():
        for member, rows in table.items():
            for label, row in rows.items():
                yield from ((family, member, label, dialects, word) for dialects, word in row.items()
                            if isinstance(word, Fault))


# --- as a page ------------------------------------------------------------------------------------

TITLES = {
    "chat": ("Chat completions", "`POST /v1/chat/completions`",
             "`messages`, `model` and `stream` are taken everywhere."),
    "responses": ("Responses", "`POST /v1/responses`",
                  "`input`, `model` and `stream` are taken everywhere; `background`, `conversation` and "
                  "`previous_response_id` are the gateway's own. To a provider of dialect `openai-responses` a request "
                  "goes as it is. [responses.md](responses.md) has the details."),
    "messages": ("Messages", "`POST /v1/messages`",
                 "`messages`, `model` and `stream` are taken everywhere. To a provider of dialect `anthropic` a "
                 "request goes as it is. [messages.md](messages.md) has the details."),
    "native": ("LLM Chat", "`POST /v1/chat`",
               "Members of `config`; the other members of the request are the gateway's own."),
    "ollama": ("Ollama's chat", "`POST /api/chat`",
               "`messages`, `model` and `stream` are taken everywhere; of `options`, each has a row. Where a member of "
               "`options` is passed, it stays in them. [ollama.md](ollama.md) has the details."),
}

# Labels that say little to who reads the page.
LABELS = {"[six]": "more than five", "[blank]": "blank", "object, full": "with all members", "[namespace]": "namespace",
          "[function]": "function", "[function, full]": "function, with all members", "[custom]": "custom",
          "[custom, full]": "custom, with all members", "[object]": "custom",
          "[object, full]": "custom, with all members", "auto, full": "auto, with all members",
          "any, full": "any, with all members", "tool, full": "tool, with all members",
          "enabled, full": "enabled, with all members",
          "[url]": "not empty", "[]": "empty", "low": "less than 16", "[text]": "list", "[x]": "compaction"}

# Members of which a cell says too little.
NOTES = {
    ("chat", "stop"): "A `stop` that is more than a provider takes is cut.",
    ("chat", "reasoning_effort"): "Anthropic's models, at Anthropic and at Bedrock, are sent it as `thinking` and "
                                  "`output_config.effort` where the model's entry says `reasons: true`.",
    ("responses", "reasoning"): "Anthropic's models are sent the effort where the model's entry says `reasons: true`.",
    ("messages", "thinking"): "Other models take it where the model's entry says `reasons: true`.",
    ("responses", "metadata"): "Providers with the option `forward_store` get it.",
    ("chat", "metadata"): "Providers with the option `forward_store` get it.",
    ("ollama", "think"): "Other models take it where the model's entry says `reasons: true`.",
    ("native", "extra"): "Each member of it is treated as a member of that name of a chat completion.",
}


def _places(member, word):
    """Where a value went, two steps deep; the member's own place is none."""
    places = [re.sub(r"\[\d+\]|[=~].*", "", part).split(".") for part in word.split("; ")]
    return list(dict.fromkeys(".".join(steps[:2]) for steps in places if steps[0] != member))


def _said(member, found):
    """A word of the table as the page has it."""
    word = found.word if isinstance(found, Fault) else found
    if word in ("passed", "own", "warned", "refused"):
        return word
    if word.startswith("breaks"):  # a fault, which is to be translated
        return "translated"
    warned, word = word.endswith(" !"), word.removesuffix(" !")
    if warned and word.startswith(f"{member}="):
        return "clamped"
    places = _places(member, word)
    shown = "translated" if not places or places[0].startswith("-") else " ".join(f"`{place}`" for place in places)
    return f"{shown}, in part warned" if warned else shown


def _columns(table):
    """Dialects whose columns are alike are one."""
    found = {}
    for dialect in DIALECTS:
        column = tuple(_said(member, _pick(row, dialect)) for member, rows in table.items() for row in rows.values())
        found.setdefault(column, []).append(dialect)
    return [(", ".join(dialects), column) for column, dialects in found.items()]


def _rows(names, columns):
    """(member, labels, cells): values that come to the same are one row; `*` has no label."""
    found = {}
    for (member, label), cells in zip(names, zip(*[column for _, column in columns], strict=True), strict=True):
        found.setdefault((member, cells), []).append(label)
    for (member, cells), labels in found.items():
        yield member, "" if "*" in labels else ", ".join(f"`{LABELS.get(label, label)}`" for label in labels), cells


def table():
    """Rows of one member stand together, the one for all other values first."""
    lines = []
    for family, (title, route, about) in TITLES.items():
        columns = _columns(TABLES[family])
        names = [(member, label) for member, rows in TABLES[family].items() for label in rows]
        head = ["member", "value", *[name for name, _ in columns]]
        lines += ["", f"## {title}", "", f"{route}: {about}", "",
                  f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        for member, labels, cells in sorted(_rows(names, columns), key=lambda row: row[0]):
            lines.append(f"| `{member}` | {labels} | {' | '.join(cells)} |")
        notes = [(member, note) for (whose, member), note in NOTES.items() if whose == family]
        lines += ["", *[f"- `{member}`: {note}" for member, note in notes]] if notes else []
    return "\n".join([*lines, "", ""])
