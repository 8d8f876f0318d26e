"""Chinese answers, written by hand: which are right for an English sentence, and which are not.

"(他们/她们)很(/非常)好" stands for all of its readings: one way out of each pair of brackets, which may be empty.
"""

import itertools
import random
import re

import pytest

from everyday.chinese import chinese
from everyday.choice import Draw, distribution
from everyday.drawing import draw
from everyday.english import english, origins
from everyday.recogniser import trees
from everyday.sentence import Sentence, plain
from everyday.tokenizer import tokenize

# Every right answer, and no other.
ALL = """
Phrases
cat | 猫
a cat | 一只猫
two cats | 两只猫
two dogs | 两(只/条)狗
the two cats | 那两只猫
these three books | 这三本书
my two cats | 我的两只猫
this book | 这本书
that boy | 那个男孩
those letters | 那些信
these shoes | 这(些/双)鞋(/子)
the cat | (/那只)猫
the moon | 月亮
the man | 那个男人
the children | (那些孩子/孩子们)
five apples | 五个苹果
ten birds | 十只鸟
a big house | 一(座/栋)大房子
a clean kitchen | 一(间/个)干净的厨房
a beautiful garden | 一(个/座)(漂亮/美丽)的花园
a small black cat | 一只(小黑猫/黑色的小猫)
a big and dirty horse | 一匹又大又脏的马
a very big horse | 一匹(很/非常)大的马
an old tree | 一棵老树
an old book | 一本旧书
an old man | 一个老人
an old horse | 一匹老马
a young woman | 一个年轻的女人
a good book | 一本好书
an interesting book | 一本(有意思/有趣)的书
an expensive computer | 一台(很贵/昂贵)的电脑
a tall man | 一个(高个子/很高的)男人
a happy family | 一个(幸福/快乐)的家庭
a hot coffee | 一杯热咖啡
red horse | (红/红色的)马
a yellow fish | 一条黄色的鱼
green tea | 绿茶
black tea | 红茶
black coffee | 黑咖啡
red and white flowers | 红色和白色的花
ten green apples | 十个(绿/绿色的)苹果
my new bike | 我的新自行车
my blue computer | (我的蓝色/我蓝色的)电脑
my beautiful daughter | 我(漂亮/美丽)的女儿
my mom | 我(/的)妈妈
my family | 我(/的)家人
my big brother | 我(/的)哥哥
my young sister | 我(/的)妹妹
my brother and sister | 我(/的)(哥哥/弟弟)和(姐姐/妹妹)
my cat and horse | 我的猫和马
the cat and horse | (猫和马/那只猫和那匹马)
anna's book | 安娜的书
my father's bike | 我(爸爸/父亲)的自行车
anna's new bike | 安娜的新自行车
many friends | (很多/许多)朋友
some water | (一些/一点)水
some flowers | (一些/几朵)花
a cup of tea | 一杯茶
two cups of coffee | 两杯咖啡
a coffee please | 请给我一杯咖啡

What somebody or something is like
i am happy | 我很(高兴/开心/快乐)
i am not happy | 我不(高兴/开心/快乐)
i am very happy | 我(很/非常)(高兴/开心/快乐)
i am so happy | 我(太(高兴/开心/快乐)了/真(高兴/开心/快乐)/非常(高兴/开心/快乐))
i am too tired | 我太累了
i am hungry | 我(很饿/饿了)
i am not hungry | 我不饿
she is tired | 她(很累/累了)
he is sick | 他(生病了/病了)
he is not sick | 他(没/没有)生病
is he sick | 他(生病/病)了吗？
he is very sick | 他病得(很/非常)重
i am angry | 我(很生气/生气了)
i am not angry | 我(不/没)生气
i am cold | 我很冷
she is not very tall | 她(/个子)(不太/不是很)高
the horse is fast | (/那匹)马跑得很快
are you hungry | (你/您/你们)(饿吗/饿了吗/饿不饿)？
are you tired and hungry | (你/您/你们)又累又饿吗？
aren't you tired | (你/您/你们)不累吗？
he is clever and strong | 他(又聪明又强壮/很聪明也很强壮)
the apple is not big and red | (/那个)苹果不大也不是红色的
the flower is red | (/那朵)花是红色的
the flower is not red | (/那朵)花不是红色的
is the horse white | (/那匹)马是白色的吗？
the book is old | (/那本)书很旧
the tree is old | (/那棵)树很老
my dad is old | 我(/的)爸爸很老
is the kitchen big | (/那间/那个)厨房(大吗/大不大)？
the tea is too hot | 茶太(烫/热)了
the milk is cold | 牛奶很凉
the apple is very good | (/那个)苹果(很/非常)(好吃/好)
the milk is good | 牛奶很(好喝/好)
the movie was good | (/那部)电影很(好看/好)
the song is beautiful | (/那首)歌很(好听/优美)
the door is open | (/那扇)门开着
the door is not open | (/那扇)门(没/没有)开
is the window closed | (/那扇)窗户关着吗？
the shop is closed | (/那家)商店(关着/关门了)
is the shop open | (/那家)商店(开着/开门了)吗？
my bike is new | 我的自行车(很新/是新的)
my computer is not bad | 我的电脑不(糟糕/差)
it is cold | (天气/它)很冷
it is cold today | 今天(/天气)很冷
is it cold | (天气/它)(冷吗/冷不冷)？
it was cold | (当时/那时)(/天气)很冷
it is hot in the garden | (/那个/那座)花园(/里)很热
they are expensive | 它们很贵
they are busy | (他们/她们)很忙
he was tired yesterday | (他昨天/昨天他)很累
i was happy | 我(当时/那时)很(高兴/开心/快乐)
he was tall | 他以前(/个子)很高
why is he sad | (他为什么/为什么他)(/这么)(难过/伤心)？
she is always happy | 她总是很(高兴/开心/快乐)
she is never angry | 她从来不生气
i am sad today | (我今天/今天我)很(难过/伤心)
he is happy every day | (他每天(/都)/每天他(/都))很(高兴/开心/快乐)
i am happy too | 我也很(高兴/开心/快乐)
who is hungry | 谁(很饿/饿了)？
this is good | 这(/个)很好
is this good | 这个(好吗/好不好)？
that is not expensive | 那(/个)不贵
these are red | 这些是红色的
paris is beautiful | 巴黎很(美/漂亮)
the sky is blue | 天空是蓝色的
beautiful | (漂亮/美)
too expensive | 太贵了

What somebody or something is
she is a student | 她是(/一个)学生
she is a good student | 她是(/一个)好学生
he is not a student | 他不是学生
he is my brother | 他是我(/的)(哥哥/弟弟)
they are my friends | (他们/她们)是我(/的)朋友
we are friends | 我们是朋友
we are sisters | 我们是姐妹
you are students | 你们是学生
are you a student | (你/您)是(学生吗/一个学生吗/不是学生/不是一个学生)？
my name is anna | 我(叫/的名字是)安娜
his name is not tom | 他(不叫/的名字不是)汤姆
it is a cat | (它/这/那)是(/一只)猫
it is a book | (它/这/那)是(/一本)书
she was a student | 她(以前/曾经)是(/一个)学生
tom is my mom's friend | 汤姆是我妈妈的朋友
tom and i are friends | 汤姆(和/跟)我是朋友
this is my mom | 这是我(/的)妈妈
these are my keys | 这些是我的钥匙
is that your horse | 那(是(你/您/你们)的马吗/是不是(你/您/你们)的马)？
that is not my bike | 那不是我的自行车
who is he | 他是谁？
who are they | (他们/她们)是谁？
who is that | 那是谁？
what is this | 这是什么？
what are those | 那些是什么？
what is her name | 她(叫什么名字/的名字是什么)？
be my friend | 做我(/的)朋友

Where somebody or something is
i am at home | 我在家
i am not in paris | 我不在巴黎
the cat is on the table | (/那只)猫在(/那张)桌子上
the cat is under the tree | (/那只)猫在(/那棵)树下(/面)
the children are at school | (那些孩子/孩子们)在学校
is she at school | 她(在学校吗/在不在学校)？
my key is in my room | 我的钥匙在我的房间(/里)
i am with anna | 我(和/跟)安娜在一起
he is not here | 他不在(这里/这儿)
where is my book | 我的书在(哪里/哪儿)？
where is the station | (/那个)车站在(哪里/哪儿)？
where is he | 他在(哪里/哪儿)？
we were at school yesterday | (我们昨天/昨天我们)在学校
i was at home | 我(当时/那时)在家
she is always at home | 她(一直/总是)在家
there is a cat in the garden | (/在)(/那个/那座)花园里有一只猫
there is a cat in the kitchen | (/在)(/那间/那个)厨房里有一只猫
there are many flowers | 有(很多/许多)花
there is not a cat in the kitchen | (/在)(/那间/那个)厨房里没有猫
is there a cat here | (/在)(这里/这儿)(有猫吗/有一只猫吗/有没有猫)？

What somebody does
i love you | 我爱(你/你们)
i love my mom | 我爱我(/的)妈妈
i love paris | 我(爱/很喜欢/非常喜欢)巴黎
i like cats | 我喜欢猫
i like apples | 我喜欢(/吃)苹果
he likes milk | 他喜欢(/喝)牛奶
do you like music | (你/您/你们)(喜欢音乐吗/喜不喜欢音乐)？
don't you like music | (你/您/你们)不喜欢音乐吗？
i like her very much | 我(很/非常)喜欢她
i do not like her very much | 我(不太/不是很)喜欢她
i have a cat | 我有一只猫
i do not have a bike | 我没有自行车
do you have a bike | (你/您/你们)(有自行车吗/有一辆自行车吗/有没有自行车)？
i have a brother | 我有一个(哥哥/弟弟)
i do not have a brother | 我没有兄弟
i have two sisters | 我有两个(姐姐/妹妹)
i want an apple | 我(想要/要)一个苹果
i do not want milk | 我不(想要/要)牛奶
i want a coffee please | 我(想要/要)一杯咖啡，谢谢
he needs a friend | 他需要一个朋友
i know | 我知道
i do not know | 我不知道
i know him | 我认识他
do you know anna | (你/您/你们)(认识安娜吗/认不认识安娜)？
i know his name | 我知道他的名字
i do not understand | 我不(懂/明白)
i understand her | 我(懂/理解)她
she understands french | 她懂法语
he speaks french | 他(/会)说法语
i do not speak french | 我不(/会)说法语
do you speak french | (你/您/你们)(说法语吗/会说法语吗/会不会说法语)？
i see a horse | 我看(见/到)一匹马
i do not see the moon | 我(看不见/看不到/没看见/没看到)月亮
i do not find my key | 我(找不到/没找到)我的钥匙
cats drink milk | 猫喝牛奶
she reads this book | 她(看/读)这本书
he listens to music | 他听音乐
she listens to me | 她听我说(/话)
i live in paris | 我住在巴黎
where do you live | (你/您/你们)住在(哪里/哪儿)？
i live with anna | 我(和/跟)安娜(一起住/住在一起)
i live with anna in paris | 我(和/跟)安娜(/一起)住在巴黎
i go home | 我回家
he goes to school every day | (他每天(/都)/每天他(/都))(去学校/去上学)
she works here | 她在(这里/这儿)工作
i never drink coffee | 我从(/来)不喝咖啡
she often sings | 她(经常/常常)唱歌
he always drinks tea | 他总是喝茶
he sometimes cooks | 他(有时候/有时)做饭
i do not drink coffee every day | 我不是每天(/都)喝咖啡
he eats a lot | 他吃很多
my dad drives a bus | 我(/的)爸爸开(/一辆)公(共汽/交)车
i play with a ball | 我玩球
she plays with my cat | 她(和/跟)我的猫(/一起)玩
i take a picture | 我拍(照/一张照片)
he takes the train | 他坐(/那列)火车
my mom cooks rice | 我(/的)妈妈(做/煮)米饭
she walks to school | 她走(路去/到)学校
who likes milk | 谁喜欢(/喝)牛奶？
who has my key | 谁有我的钥匙？
what do you want | (你/您/你们)(想要/要)什么？
what does he do | 他(做什么工作/是做什么的/做什么)？
why do you like him | ((你/您/你们)为什么/为什么(你/您/你们))喜欢他？

What is being done
i am eating | 我(在/正在)吃(饭/东西)
he is sleeping | 他(在/正在)睡觉
he is not sleeping | 他(没/没有)在睡觉
is he sleeping | 他(在/正在)睡觉吗？
she is reading this book | 她(在/正在)(看/读)这本书
he is working in the garden | 他(在/正在)(/那个/那座)花园(/里)工作
she is dancing with tom | 她(在/正在)(和/跟)汤姆(/一起)跳舞
he is going home | 他(要回家/在回家的路上)
where is she going | 她要去(哪里/哪儿)？
what is he doing | 他(在/正在)(做/干)什么？
who is singing | 谁(在/正在)唱歌？
the cat is looking at me | (/那只)猫(在/正在)看我
she is coming | 她(来了/要来)

What was done
i ate an apple | 我吃了一个苹果
i ate two apples yesterday | (我昨天/昨天我)吃了两个苹果
he did not eat | 他(没/没有)吃(饭/东西)
did she sleep | 她睡觉了吗？
she went to school | 她去(了学校/学校了)
he did not come | 他(没/没有)来
he went home | 他回家了
i saw a bird | 我看(见/到)了一只鸟
i never saw him | 我从来没见过他
i never ate fish | 我从来没吃过鱼
i bought bread | 我买(了面包/面包了)
she opened the door | 她(打开/开)(了门/了那扇门/门了)
who ate my cake | 谁吃了我的蛋糕？
when did he come | 他(/是)什么时候来的？
where did she find this key | 她(/是)在(哪里/哪儿)找到这把钥匙的？
he helped me | 他帮(/助)了我
she listened to me | 她听了我的话
what did he buy | 他买了什么？
i looked at him | 我看着他

What one can, wants and likes to do
i can swim | 我会游泳
he can not drive | 他不会开车
can he swim | 他(会游泳吗/会不会游泳)？
i can swim today | (我今天/今天我)(能/可以)游泳
i can not sleep | 我(睡不着/不能睡觉)
can you help me | (你/您/你们)((能/可以)帮(/助)我吗/能不能帮(/助)我/可不可以帮(/助)我)？
i can not see the moon | 我看不(见/到)月亮
i can not find my key | 我找不到我的钥匙
i want to eat | 我(想/要)吃(饭/东西)
i do not want to go | 我不想去
i want to see her | 我(想/要)见她
he wants to work every day | 他(想/要)每天工作
does she want to dance | 她((想/要)跳舞吗/想不想跳舞/要不要跳舞)？
she likes swimming | 她喜欢游泳
she loves to sing | 她(爱/很喜欢/非常喜欢)唱歌
i need to buy bread | 我(需要/得)买面包
you do not need to work | (你/您/你们)不(需要/用)工作
what do you want to drink | (你/您/你们)(想/要)喝什么？

Commands
open the door | (打开/开)(/那扇)门
please open the door | 请(打开/开)(/那扇)门
do not cry | (不要/别)哭
do not open the door | (不要/别)(打开/开)(/那扇)门
help me | (帮帮/帮助)我
look at me | 看我
listen to me | 听我说(/话)
go home | 回家(/吧)
come here | 来(这里/这儿)
come with me | (和/跟)我(/一起)来
be nice | 友好一点
do not be sad | (不要/别)难过
look | 看

Once more, of every kind
how is your mom | (你/您/你们)(/的)妈妈(怎么样/好吗)？
how is he | 他(怎么样/好吗)？
how old is my horse | 我的马(几岁了/多大了)？
how old is he | 他(多大了/多大/多大年纪了)？
how old is this tree | 这棵树有多少年了？
i love you so much | 我(非常/好/这么)爱(你/你们)
my dad is driving to paris | 我(/的)爸爸(在/正在)开车去巴黎
she is at work | 她在(上班/公司)
he goes to work | 他去上班
he has no friends | 他没有朋友
there is no milk | 没有牛奶
yes please | 好(/的)，谢谢
no thank you | (不/不用了)，谢谢(/你/您)
can i have a coffee | 我((能/可以)(要/喝)一杯咖啡吗/(能不能/可不可以)(要/喝)一杯咖啡)？
see you | 再见
why are you crying | ((你/您/你们)为什么/为什么(你/您/你们))(/在)哭？
where were you yesterday | ((你/您/你们)昨天/昨天(你/您/你们))在(哪里/哪儿)？
she lived in paris | 她(在巴黎住过/以前住在巴黎)
he worked in a school | 他在一所学校(/里)工作过
i go to the sea | 我去海边
she swims in the sea | 她在海里游泳
he lives in a house | 他住在一(座/栋)房子里
do you find the key | (你/您/你们)找到(/那把)钥匙了吗？
my red bag | (我红色的(包/袋子)/我的红色袋子)
anna's beautiful horse | 安娜(漂亮/美丽)的马
my tall son | (我的高个子儿子/我很高的儿子)
his old mom | 他年老的妈妈
my old friend | 我的老朋友
an old city | 一(座/个)古老的城市
a long street | 一条(很长/长长)的街(/道)
a long table | 一张(长/很长的)桌子
a bad movie | 一部(不好/糟糕)的电影
a bad boy | 一个坏男孩
a strong coffee | 一杯浓咖啡
a sick cat | 一只生病的猫
a fast horse | 一匹跑得快的马
the girl is nice | 那个女孩很(好/友好)
this cake is nice | 这(块/个)蛋糕很(好吃/不错)
this cake is not nice | 这(块/个)蛋糕不(好吃/好)
a white cat and a black horse | 一只(白猫和一匹黑马/白色的猫和一匹黑色的马)
my sons like music | 我(/的)儿子(/们)喜欢音乐
i love my family | 我爱我(/的)家人
i have a family | 我有一个家庭
the family is big | 那个家庭很大
my family is big | 我的家庭很大
this family is happy | 这家人很(幸福/快乐)
she is with us in the kitchen | 她(和/跟)我们(/一起)在(/那间/那个)厨房(/里)
is she with him | 她(和/跟)他在一起吗？
my mom's name is anna | 我妈妈(叫/的名字是)安娜
these three cats are hungry | 这三只猫(很饿/饿了)
do not be angry | (不要/别)生气
be good | 乖一点
he knows the song | 他知道那首歌
he needs to see a doctor | 他(需要/得)看医生
they came to school | (他们/她们/它们)来(学校了/到了学校)
help me in the garden | 在(/那个/那座)花园(/里)(帮帮/帮助)我
run | 跑
speak french | 说法语
eat your cake | 吃(你/你们)的蛋糕
please do not run | 请(不要/别)跑
take this book | 拿这本书
take a picture | 拍(照/一张照片)
sing a song | 唱(/一首)歌
go to school | 去(学校/上学)
the birds are singing in the tree | (/那些)鸟(在/正在)(/那棵)树上唱歌
the dog is eating | (/那只/那条)狗(在/正在)吃东西
you are a bad cat | 你是(/一只)坏猫
i am tall and clever | 我(又高又聪明/很高也很聪明)
excuse me i am tired | 对不起，我(很累/累了)
thank you my friends | (谢谢(/你/您)，我的朋友们/我的朋友们，谢谢(/你/您))

Set phrases
thank you | 谢谢(/你/您)
good night mom | (晚安，妈妈/妈妈，晚安)
yes i am hungry | (是的/对/是)，我(很饿/饿了)
excuse me where is the station | (请问/对不起/打扰一下)，(/那个)车站在(哪里/哪儿)？
"""

# Some that must be among the answers, and what none of them may hold.
SOME = """
my red car | 我的红色汽车 | 的红色的 红包
a red bag | 一个红色的包 | 红包
she is a teacher | 她是老师, 她是一位老师 | 很
they are old | 他们很老, 它们很旧 | 们很旧了
the old car is expensive | 那辆旧汽车很贵 | 老汽车
the two old men are sick | 那两个老人生病了 | 们
there are two old men in the park | 公园里有两个老人 | 们
we have a red car and a blue bike | 我们有一辆红色的汽车和一辆蓝色的自行车 | 蓝自行车
she is reading an interesting book in the garden | 她正在花园里看一本有趣的书, 她在花园里读一本有意思的书 | 在正在 正在在 在在
does your mother like black tea | 你妈妈喜欢红茶吗？, 您母亲喜欢红茶吗？ | 黑 喜不.*吗
i can not open the door | 我打不开门, 我不能打开那扇门 | 不打不开 能打不开
he did not see us yesterday | 他昨天没看见我们, 昨天他没有看到我们 | 了 不
where did you buy this phone | 你在哪里买这部手机的？, 你是在哪儿买这个手机的？ | 了 吗
do you want to eat with us today | 你今天想和我们一起吃饭吗？, 你今天想不想跟我们吃饭？ | 不想.*吗
my mother drinks tea every day | 我妈妈每天喝茶, 每天我母亲都喝茶 | 了 每天都我
i want to see paris | 我想看巴黎 | 见 看见
are his three brothers tall | 他的三个哥哥高吗？ | 们 很
the children are never tired | 孩子们从来不累, 那些孩子从来不累 | 那些孩子们 很
"""


def readings(text: str) -> set[str]:
    """Every reading of "我(/的)(妈妈/母亲)"."""

    def ways(at: int) -> tuple[set[str], int]:
        found: set[str] = set()
        said = {""}
        while at < len(text) and text[at] != ")":
            if text[at] == "(":
                inner, at = ways(at + 1)
                said = {one + other for one, other in itertools.product(said, inner)}
            elif text[at] == "/":
                found, said = found | said, {""}
            else:
                said = {one + text[at] for one in said}
            at += 1
        return found | said, at

    return ways(0)[0]


def answers(text: str) -> set[str]:
    """What is right for this English sentence, written without blanks."""
    found = trees(tokenize(text))
    assert found, f"not read: {text}"
    return {"".join(word for word in answer) for sentence in found for answer in _distribution(sentence)}


def _distribution(sentence: Sentence) -> dict[tuple[str, ...], float]:
    return distribution(lambda choose: tuple(word.text for word in chinese(plain(sentence), choose)))


def _rows(table: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in table.splitlines() if "|" in line]


def test_these_are_the_right_answers_and_no_others() -> None:
    for text, right in _rows(ALL):
        assert answers(text) == readings(right), text


@pytest.mark.parametrize(("text", "right", "wrong"), _rows(SOME))
def test_these_are_among_the_right_answers_and_those_are_not(text: str, right: str, wrong: str) -> None:
    said = answers(text)
    assert {reading for way in right.split(", ") for reading in readings(way)} <= said
    assert not [answer for answer in said for part in wrong.split() if re.search(part, answer)]


@pytest.fixture(scope="module")
def drawn() -> list[Sentence]:
    generator = random.Random(2017)
    return [plain(draw(generator)) for _ in range(3000)]


def test_every_word_comes_from_an_english_one(drawn: list[Sentence]) -> None:
    generator = random.Random(2)
    for sentence in drawn:
        source, target = english(sentence), chinese(sentence, Draw(generator))
        assert None not in origins(source, target), (source, target)


def test_a_sentence_has_at_most_some_hundred_answers(drawn: list[Sentence]) -> None:
    counts = [len(_distribution(sentence)) for sentence in drawn[:500]]
    assert max(counts) <= 400
    assert sum(count > 1 for count in counts) > 0.7 * len(counts)
