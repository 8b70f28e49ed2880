"""What becomes of each member on its way to Bedrock's Converse, whose words are its own: see members.py.

    API -> member -> value -> word; `*` is every value that is not named
"""

FORMAT = ('outputConfig.textFormat.type="json_schema"; outputConfig.textFormat.structure.jsonSchema.schema='
          r'"{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, '
          r'\"required\": [\"city\"], \"additionalProperties\": false}"')

BEDROCK = {
    "chat": {
        "frequency_penalty": {"*": "warned"},
        "max_completion_tokens": {"*": "inferenceConfig.maxTokens"},
        "max_tokens": {"*": "inferenceConfig.maxTokens"},
        "parallel_tool_calls": {"*": "own", "false": "warned"},
        "presence_penalty": {"*": "warned"},
        "prompt_cache_key": {"*": "warned"},
        "reasoning_effort": {"*": "warned", '"none"': "own"},
        "response_format": {"*": FORMAT, "text": "own", "json_object": "warned"},
        "seed": {"*": "warned"},
        "service_tier": {"*": "serviceTier.type", '"auto"': "own", '"scale"': "warned", '"fast"': "warned"},
        "stop": {
            "*": "inferenceConfig.stopSequences[0]", "[text]": 'inferenceConfig.stopSequences[0]="x"',
            "[six]": "inferenceConfig~", "[blank]": 'inferenceConfig.stopSequences[0]="x" !',
        },
        "temperature": {"*": "inferenceConfig.temperature", "1.7": "inferenceConfig.temperature=1 !"},
        "tool_choice": {
            "*": "toolConfig.toolChoice.auto={}", '"none"': "-toolConfig",
            '"required"': "toolConfig.toolChoice.any={}", "function": 'toolConfig.toolChoice.tool.name="get_weather"',
            "custom": "refused",
        },
        "tools": {
            "*": "refused",
            "[function]": ('toolConfig.tools[0].toolSpec.name="get_weather"; '
                           'toolConfig.tools[0].toolSpec.inputSchema.json.type="object"'),
            "[function, full]": "toolConfig~ !",
        },
        "top_p": {"*": "inferenceConfig.topP"},
        "user": {"*": "warned"},
        "top_k": {"*": "additionalModelRequestFields.top_k"},
        "chat_template_kwargs": {"*": "additionalModelRequestFields.chat_template_kwargs.enable_thinking=false"},
    },
    "responses": {
        "instructions": {"*": "system[0].text"},
        "max_output_tokens": {"*": "inferenceConfig.maxTokens"},
        "parallel_tool_calls": {"*": "own", "false": "warned"},
        "prompt_cache_key": {"*": "warned"},
        "reasoning": {"*": "warned", "object": "own", "summary": "own"},
        "service_tier": {
            "*": "serviceTier.type", '"auto"': "own", '"scale"': "warned", '"fast"': "warned",
            '"ultrafast"': "warned",
        },
        "temperature": {"*": "inferenceConfig.temperature", "1.7": "inferenceConfig.temperature=1 !"},
        "text": {"*": "warned", "object": "own", "json_schema": FORMAT},
        "tool_choice": {
            "*": "warned", '"none"': "-toolConfig", '"auto"': "toolConfig.toolChoice.auto={}",
            '"required"': "toolConfig.toolChoice.any={}", "allowed_tools": "toolConfig.toolChoice.auto={}",
            "function": 'toolConfig.toolChoice.tool.name="get_weather"',
            "custom": 'toolConfig.toolChoice.tool.name="get_weather"',
        },
        "tools": {
            "*": "warned", "[function]": "toolConfig~ !", "[function, full]": "toolConfig~ !",
            "[custom]": "toolConfig~", "[custom, full]": "toolConfig~", "[namespace]": "toolConfig~",
        },
        "top_p": {"*": "inferenceConfig.topP"},
        "user": {"*": "warned"},
        "presence_penalty": {"*": "warned"},
        "frequency_penalty": {"*": "warned"},
        "top_k": {"*": "additionalModelRequestFields.top_k"},
    },
    "messages": {
        "max_tokens": {"*": "inferenceConfig.maxTokens"},
        "metadata": {"*": "warned", "object": "own"},
        "output_config": {"*": "own", "object, full": FORMAT + " !", "effort": "warned", "format": FORMAT},
        "stop_sequences": {"*": "inferenceConfig.stopSequences", "[six]": "inferenceConfig.stopSequences~ !"},
        "system": {
            "*": "system[0].text", "[text]": 'system[0].text="x"',
            "[text, full]": 'system[0].text="x"; system[1].cachePoint.type="default"',
        },
        "tool_choice": {
            "*": "toolConfig.toolChoice.auto={}", "auto, full": "toolConfig.toolChoice.auto={} !",
            "any": "toolConfig.toolChoice.any={}", "any, full": "toolConfig.toolChoice.any={} !",
            "tool": 'toolConfig.toolChoice.tool.name="get_weather"',
            "tool, full": 'toolConfig.toolChoice.tool.name="get_weather" !', "none": "-toolConfig",
        },
        "tools": {"*": "refused", "[object]": "toolConfig~", "[object, full]": "toolConfig~ !"},
        "temperature": {"*": "inferenceConfig.temperature"},
        "top_p": {"*": "inferenceConfig.topP"},
        "top_k": {"*": "additionalModelRequestFields.top_k"},
    },
    "native": {
        "max_tokens": {"*": "inferenceConfig.maxTokens"},
        "temperature": {"*": "inferenceConfig.temperature", "1.7": "inferenceConfig.temperature=1 !"},
        "top_p": {"*": "inferenceConfig.topP"},
        "stop": {"*": "inferenceConfig.stopSequences[0]", "[text]": 'inferenceConfig.stopSequences[0]="x"'},
        "seed": {"*": "warned"},
        "presence_penalty": {"*": "warned"},
        "frequency_penalty": {"*": "warned"},
        "response_format": {"*": "own", "json_object": "warned", "json_schema": FORMAT},
        "tools": {"*": "toolConfig~"},
        "tool_choice": {
            "*": "-toolConfig", '"auto"': "toolConfig.toolChoice.auto={}",
            '"required"': "toolConfig.toolChoice.any={}", "function": 'toolConfig.toolChoice.tool.name="get_weather"',
        },
        "reasoning_effort": {"*": "warned", '"none"': "own"},
        "extra": {"*": "additionalModelRequestFields", "user": "warned"},
    },
    "completions": {
        "frequency_penalty": {"*": "warned"},
        "max_tokens": {"*": "inferenceConfig.maxTokens"},
        "presence_penalty": {"*": "warned"},
        "seed": {"*": "warned"},
        "stop": {"*": "inferenceConfig.stopSequences[0]", "[text]": 'inferenceConfig.stopSequences[0]="x"'},
        "temperature": {"*": "inferenceConfig.temperature"},
        "top_p": {"*": "inferenceConfig.topP"},
        "user": {"*": "warned"},
    },
}
