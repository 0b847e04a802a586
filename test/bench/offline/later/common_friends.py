"""How many friends each two people have in common."""


def common_friends(friends):
    result = []
    names = sorted(friends)
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            common = []
            for friend in friends[names[i]]:
                if friend in friends[names[j]] and friend not in common:
                    common.append(friend)
            if len(common) > 0:
                result.append([names[i], names[j], len(common)])
    return result


def inputs():
    many = {"p%d" % i: ["p%d" % ((i * 7 + k * k) % 60) for k in range(25)] for i in range(40)}
    return [[many], [{}], [{"a": ["c"], "b": ["c", "d"]}]]
